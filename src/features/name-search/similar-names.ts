/**
 * Finds names by a text that may be incomplete or mistyped.
 *
 * Stores keep a sorted index of keys, each with its name. A name has its letters as a key, the letters from each later
 * word on, and its letters reversed. The names that begin with a text, or in which a later word does, are a range of the
 * index. A name with a typo is often near the text in the index, because they begin alike; or near the reversed text,
 * because they end alike. Where too many names begin alike, the typo is corrected first: the index tells which letters
 * follow a beginning of the text, so that only corrections are tried that some name has. Keys depend only on the name.
 */

import { editDistance } from "../../text/nearest.ts";

/** Longer names are cut. */
const MAX_LETTERS = 32;
/** Shorter words are not searched for: they would be many, and are hardly what somebody remembers of a name. */
const MIN_WORD = 4;

/** Prefixes that keep keys of one kind together. */
const WHOLE = "=";
const LATER_WORD = "+";
const REVERSED = "<";

/** The distinct keys of a name in the index. */
export function indexKeys(name: string): string[] {
  const letters = lettersOf(name);
  return [
    WHOLE + letters.join(""),
    REVERSED + letters.toReversed().join(""),
    ...laterWords(name).map((word) => LATER_WORD + word),
  ];
}

/** How well a name fits a text, the best first. Ties: the most recent match first. */
export const RANKS = {
  exact: 0,
  sameLetters: 1,
  beginning: 2,
  laterWord: 3,
  oneTypo: 4,
  mistypedBeginning: 5,
  /** Weaker: with the last letter wrong, all names fit that begin with the others. */
  lastLetterWrong: 6,
  twoTypos: 7,
  /** Not similar. */
  nearest: 8,
} as const;

/** Typos before this letter are not looked for in beginnings: far too many names would fit. */
const FIRST_TYPO = 2;

/** What to read from the index for a text, and how well the names fit that are found. */
export class NameSearch {
  readonly #letters: string[];
  readonly #text: string;
  /** Of the names so far. */
  readonly #known = new Map<string, string[]>();

  constructor(private readonly typed: string) {
    this.#letters = lettersOf(typed);
    this.#text = this.#letters.join("");
  }

  #lettersOf(name: string): string[] {
    const known = this.#known.get(name) ?? lettersOf(name);
    this.#known.set(name, known);
    return known;
  }

  /** The keys of names that begin with the text begin with this one. */
  get beginning(): string {
    return this.#key(this.#letters.length);
  }

  get laterWord(): string {
    return LATER_WORD + this.#text;
  }

  get reversed(): string {
    return REVERSED + this.#letters.toReversed().join("");
  }

  /**
   * The beginnings of the text, as keys, after which a typo must be corrected, because not all names that begin so are
   * among these names: those around the text in the index, at least `count` on either side.
   */
  openings(around: readonly string[], count: number): string[] {
    const shared = around.map((name) => sharedLetters(this.#letters, this.#lettersOf(name)));
    const openings: string[] = [];
    for (let length = 1; length <= this.#letters.length; length++) {
      if (shared.filter((letters) => letters >= length).length < count) break;
      openings.push(this.#key(length));
    }
    return openings;
  }

  /**
   * The keys of the text with one typo corrected, at the beginning or after one of these openings, given the letters
   * that follow them. Names may begin with those of `beginnings`; with a typo so early, too many would begin with one of
   * `whole`, which must be the name itself.
   */
  corrections(
    openings: readonly string[],
    next: readonly (readonly [opening: string, letter: string])[],
  ): { whole: string[]; beginnings: string[] } {
    const letters = this.#letters;
    const corrected = new Map<string, number>();
    const correct = (at: number, instead: string, rest: number) =>
      corrected.set(this.#key(at) + instead + letters.slice(rest).join(""), at);
    for (let at = 0; at <= openings.length && at < letters.length; at++) {
      correct(at, "", at + 1);
      const other = letters[at + 1];
      if (other !== undefined) correct(at, other + letters[at], at + 2);
    }
    for (const [opening, letter] of next) {
      const at = openings.indexOf(opening) + 1;
      correct(at, letter, at);
      if (at < letters.length) correct(at, letter, at + 1);
    }
    corrected.delete(this.beginning);
    const all = [...corrected.keys()];
    return {
      whole: all.filter((key) => corrected.get(key)! < FIRST_TYPO),
      beginnings: all.filter((key) => corrected.get(key)! >= FIRST_TYPO),
    };
  }

  rankOf(name: string): number {
    if (name === this.typed) return RANKS.exact;
    const letters = this.#lettersOf(name);
    const whole = letters.join("");
    if (whole === this.#text) return RANKS.sameLetters;
    if (whole.startsWith(this.#text)) return RANKS.beginning;
    const mayHaveWord = whole.includes(this.#text);
    if (mayHaveWord && laterWords(name).some((word) => word.startsWith(this.#text))) {
      return RANKS.laterWord;
    }
    const typos = editDistance(this.#letters, letters, maxTypos(this.#letters));
    if (typos === 1) return RANKS.oneTypo;
    const shared = sharedLetters(this.#letters, letters);
    if (shared >= FIRST_TYPO && hasOneTypo(this.#letters, letters, shared)) {
      const isLast =
        shared === this.#letters.length - 1 && letters[shared + 1] !== this.#letters[shared];
      return isLast ? RANKS.lastLetterWrong : RANKS.mistypedBeginning;
    }
    return typos === 2 ? RANKS.twoTypos : RANKS.nearest;
  }

  /** How far a name is that is not similar. */
  typosIn(name: string): number {
    return editDistance(this.#letters, this.#lettersOf(name), MAX_LETTERS);
  }

  /** Of the first letters. */
  #key(length: number): string {
    return WHOLE + this.#letters.slice(0, length).join("");
  }
}

/** With two typos allowed, any two names of up to three letters would be similar. */
const maxTypos = ({ length }: string[]): number => (length < 2 ? 0 : length < 4 ? 1 : 2);

/** How many letters both begin with. */
function sharedLetters(one: string[], other: string[]): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

/** Whether the name begins with the typed letters once the first difference is corrected. */
function hasOneTypo(typed: string[], name: string[], at: number): boolean {
  const goesOn = (from: number, inName: number) =>
    typed.slice(from).every((letter, index) => letter === name[inName + index]);
  return (
    goesOn(at + 1, at + 1) ||
    goesOn(at, at + 1) ||
    goesOn(at + 1, at) ||
    (typed[at] === name[at + 1] && typed[at + 1] === name[at] && goesOn(at + 2, at + 2))
  );
}

const PLAIN = /^[A-Za-z0-9]*$/;
const ASCII = /^[ -~]*$/;
const PUNCTUATION = /[\p{P}\p{Z}\p{Cc}\p{Cf}]+/gu;
const MARKS = /\p{M}+/gu;

/**
 * The letters, digits and symbols of a name, without case and accents. Spaces and punctuation are
 * dropped unless nothing else is left.
 */
export function lettersOf(name: string): string[] {
  // Most names are ASCII, in which every character is a letter of its own.
  if (PLAIN.test(name)) return name.toLowerCase().slice(0, MAX_LETTERS).split("");
  if (ASCII.test(name))
    return withoutPunctuation(name.toLowerCase()).slice(0, MAX_LETTERS).split("");
  return Array.from(withoutPunctuation(folded(name)) || name).slice(0, MAX_LETTERS);
}

function folded(name: string): string {
  // Via upper case, because some letters differ in only one case.
  const bare = name.normalize("NFKD").replace(MARKS, "").toUpperCase().toLowerCase();
  return bare.replaceAll("ς", "σ").normalize("NFC");
}

const withoutPunctuation = (text: string): string => text.replace(PUNCTUATION, "") || text;

/** A word ends before a capital that follows a small letter. */
const ASCII_WORD = /[A-Z]*[a-z]+|[A-Z]+/g;
/** A change between these begins a word; all other scripts count as one. */
const SCRIPTS = "Latin Cyrillic Greek Han Hiragana Katakana Hangul Thai Arabic Hebrew Devanagari";
const LISTED = SCRIPTS.split(" ").map((script) => `\\p{sc=${script}}`);
const WORD = new RegExp(
  [...LISTED.map((script) => `(?=${script})`), `(?![${LISTED.join("")}])`]
    .map((of) => `(?:${of}\\p{Lu})*(?:${of}(?!\\p{Lu})\\p{L}|[\\p{Lm}\\p{M}])+|(?:${of}\\p{Lu})+`)
    .join("|"),
  "gu",
);

/** The letters of a name from each later word of four or more letters on. */
function laterWords(name: string): string[] {
  const words = name.matchAll(ASCII.test(name) ? ASCII_WORD : WORD);
  const whole = lettersOf(name).join("");
  const found = new Set<string>();
  for (const { 0: word, index } of words) {
    if (index === 0 || word.length < MIN_WORD || lettersOf(word).length < MIN_WORD) continue;
    const rest = lettersOf(name.slice(index)).join("");
    if (rest !== whole) found.add(rest);
  }
  return [...found];
}
