/**
 * In charge of where names stand in the index of names, and where to look there for those close to a
 * mistyped one.
 *
 * The index is a sorted list of texts, its spots, each with the name it leads to. Every name stands at
 * several: its letters; its letters less any one of them; its letters from behind. Whoever typed one
 * letter wrong has one of these spots exactly, once that letter is left out there too. Whoever typed two
 * wrong has a spot that begins alike up to the second of them, from the front or from behind, and so
 * stands close by. No spot depends on any other name, and each name has a bounded number of them.
 */

/** What the letters of a name are cut to: by then it is known from all others. */
const MOST_LETTERS = 32;
/** Only among so many of the first letters one is left out: what is wrong behind them, neighbours show. */
const LETTERS_LEFT_OUT = 12;

/** So that spots of one kind stand together. */
const WHOLE = "=";
const ONE_LESS = "-";
const BACKWARDS = "<";

/** Where a name stands; each spot once. */
export function spotsOf(name: string): string[] {
  const letters = lettersOf(name);
  const whole = textOf(letters);
  return [WHOLE + whole, BACKWARDS + backwards(letters), ...lessOne(letters, whole)];
}

/** Where to look, and how many spots to read there. */
export interface Surroundings {
  spots: string[];
  /** In front of each. */
  before: number;
  /** At each or behind it. */
  after: number;
}

/**
 * Where names close to this one stand: at its own spots, or next to them. A short name has few spots, but
 * they are crowded; so about as much is read for any name.
 */
export function surroundingsOf(name: string): Surroundings {
  const spots = spotsOf(name);
  const each = SPOTS_READ / spots.length;
  return { spots, before: Math.floor(each / 3), after: Math.ceil((each * 2) / 3) };
}

/** Over all spots of a name: measured to find nearly all there is among 300,000 names. */
const SPOTS_READ = 144;

/** The letters themselves among them: some other letter may have been left out in the name looked for. */
function lessOne(letters: ArrayLike<string>, whole: string): Set<string> {
  const spots = new Set([ONE_LESS + whole]);
  let before = ONE_LESS;
  for (let at = 0; at < letters.length && at < LETTERS_LEFT_OUT; at++) {
    spots.add(before + whole.slice(before.length - 1 + letters[at]!.length));
    before += letters[at];
  }
  return spots;
}

function backwards(letters: ArrayLike<string>): string {
  let text = "";
  for (let at = letters.length - 1; at >= 0; at--) text += letters[at];
  return text;
}

const textOf = (letters: ArrayLike<string>): string =>
  typeof letters === "string" ? letters : Array.from(letters).join("");

/**
 * What counts of a name: its letters, digits and symbols, without case and accents. Blanks and
 * punctuation do not count, unless there is nothing else. A text is a list of letters too, as long as
 * none of them takes two units of it.
 */
export function lettersOf(name: string): ArrayLike<string> {
  const text = PLAIN.test(name) ? name : folded(name);
  if (!IN_PAIRS.test(text)) return text.slice(0, MOST_LETTERS);
  return Array.from(text).slice(0, MOST_LETTERS);
}

const PLAIN = /^[a-z0-9]+$/;
const ALPHANUMERIC = /^[A-Za-z0-9]+$/;
const ASCII = /^[\x20-\x7e]+$/;
const IN_PAIRS = /[\ud800-\udfff]/;
const ASCII_PAUSES = /[^a-z0-9$+<=>^`|~]+/g;
const PAUSES = /[\p{P}\p{Z}\p{Cc}\p{Cf}]+/gu;
const MARKS = /\p{M}+/gu;

function folded(name: string): string {
  if (ALPHANUMERIC.test(name)) return name.toLowerCase();
  if (ASCII.test(name)) {
    const lower = name.toLowerCase();
    return lower.replace(ASCII_PAUSES, "") || lower;
  }
  // To capitals and back, because some letters differ in only one of the two cases.
  const bare = name.normalize("NFKD").replace(MARKS, "").toUpperCase().toLowerCase();
  const lower = bare.replaceAll("ς", "σ").normalize("NFC");
  return lower.replace(PAUSES, "") || lower || name;
}
