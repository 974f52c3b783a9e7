/**
 * Finds the names that are similar to a mistyped one.
 *
 * Stores keep a sorted index of keys, each with the name it belongs to. A name has several keys: its
 * letters, its letters without any one of them, and its letters reversed. A name with one typo shares
 * a key with the right name, once that letter is left out of it too. A name with two typos has a key
 * that equals one of the right name up to the second typo, from the front or from the back, and so is
 * close to it in the index. Keys depend on nothing but the name, and a name has at most 15.
 */

import { editDistance } from "../text/nearest.ts";

/** Longer names are cut: by then they differ from all others. */
const MAX_LETTERS = 32;
/** Only one of the first letters is left out: typos after them are found by neighbouring keys. */
const MAX_LEFT_OUT = 12;

/** Keys of one kind are next to each other. */
const WHOLE = "=";
const ONE_LESS = "-";
const REVERSED = "<";

/** The distinct keys of a name in the index. */
export function indexKeys(name: string): string[] {
  const letters = lettersOf(name);
  const whole = letters.join("");
  // The whole name too: another letter may have been left out of the name typed.
  const keys = new Set([WHOLE + whole, REVERSED + letters.toReversed().join(""), ONE_LESS + whole]);
  let start = 0;
  for (const letter of letters.slice(0, MAX_LEFT_OUT)) {
    keys.add(ONE_LESS + whole.slice(0, start) + whole.slice(start + letter.length));
    start += letter.length;
  }
  return [...keys];
}

/** Over all keys of a name: measured to find nearly every similar name among 300,000. */
const ENTRIES_READ = 144;

/**
 * Where to look for names similar to this one, and how many entries to read before each key, and at or
 * after it. Short names have few keys in crowded places, so about as much is read for any name.
 */
export function keysToRead(typed: string): { keys: string[]; before: number; after: number } {
  const keys = indexKeys(typed);
  const each = ENTRIES_READ / keys.length;
  return { keys, before: Math.floor(each / 3), after: Math.ceil((each * 2) / 3) };
}

/**
 * Those of the names that are similar to what was typed, closest first, `limit` at most: the same
 * letters; one typo; names that start with it; two typos. Ties are broken by the same first letter,
 * then by length, then by name.
 */
export function closestNames(typed: string, names: Iterable<string>, limit: number): string[] {
  const letters = lettersOf(typed);
  const found: { name: string; ranks: number[] }[] = [];
  for (const name of names) {
    const others = lettersOf(name);
    const distance = name === typed ? -1 : distanceBetween(letters, others);
    if (distance === Number.POSITIVE_INFINITY) continue;
    const lengthDifference = Math.abs(letters.length - others.length);
    found.push({ name, ranks: [distance, letters[0] === others[0] ? 0 : 1, lengthDifference] });
  }
  found.sort((a, b) => {
    const at = a.ranks.findIndex((rank, index) => rank !== b.ranks[index]);
    return at === -1 ? (a.name < b.name ? -1 : 1) : a.ranks[at]! - b.ranks[at]!;
  });
  return found.slice(0, limit).map(({ name }) => name);
}

/** The number of typos, or how much a name that starts like this counts; infinite for other names. */
function distanceBetween(typed: string[], name: string[]): number {
  // Of one to three letters, two typos would make any name similar to any other.
  const maxTypos = typed.length < 2 ? 0 : typed.length < 4 ? 1 : 2;
  const typos = editDistance(typed, name, maxTypos);
  if (!typed.every((letter, at) => letter === name[at])) return typos;
  // One or two letters are more likely the start of a name than a mistyped one.
  return Math.min(typos, typed.length < 3 ? 0.5 : 1.5);
}

const ALPHANUMERIC = /^[A-Za-z0-9]+$/;
const PUNCTUATION = /[\p{P}\p{Z}\p{Cc}\p{Cf}]+/gu;
const MARKS = /\p{M}+/gu;

/**
 * What counts of a name: its letters, digits and symbols, without case and accents. Spaces and
 * punctuation do not count, unless there is nothing else.
 */
export function lettersOf(name: string): string[] {
  return Array.from(ALPHANUMERIC.test(name) ? name.toLowerCase() : folded(name)).slice(
    0,
    MAX_LETTERS,
  );
}

function folded(name: string): string {
  // To upper case and back, because some letters differ in only one of the two cases.
  const bare = name.normalize("NFKD").replace(MARKS, "").toUpperCase().toLowerCase();
  const lower = bare.replaceAll("ς", "σ").normalize("NFC");
  return lower.replace(PUNCTUATION, "") || lower || name;
}
