/**
 * Finds names similar to a mistyped one.
 *
 * Stores keep a sorted index of keys, each with its name. A name has several keys: its letters, its
 * letters with any one of them left out, and its letters reversed. A name with one typo shares a
 * key with the right name once the wrong letter is left out. With two typos, a key matches one of
 * the right name up to the second typo, from the front or the back, so the two are close in the
 * index. Keys depend only on the name; a name has at most 15.
 */

import { editDistance } from "../text/nearest.ts";

/** Longer names are cut. */
const MAX_LETTERS = 32;
/** Only the first letters are left out in turn. Later typos are found among neighbouring keys. */
const MAX_LEFT_OUT = 12;

/** Prefixes that keep keys of one kind together. */
const WHOLE = "=";
const ONE_LESS = "-";
const REVERSED = "<";

/** The distinct keys of a name in the index. */
export function indexKeys(name: string): string[] {
  const letters = lettersOf(name);
  const whole = letters.join("");
  // The whole name too: the typed name may have one letter too many.
  const keys = [WHOLE + whole, REVERSED + letters.toReversed().join(""), ONE_LESS + whole];
  let start = 0;
  let before = "";
  for (const letter of letters.slice(0, MAX_LEFT_OUT)) {
    const end = start + letter.length;
    // Without either of two equal neighbours, the rest is the same.
    if (letter !== before) keys.push(ONE_LESS + whole.slice(0, start) + whole.slice(end));
    start = end;
    before = letter;
  }
  return keys;
}

/** For all keys of a name. Finds nearly every similar name among 300,000 (measured). */
const ENTRIES_READ = 144;

/**
 * Which keys to look up, and how many index entries to read before and after each. Short names have
 * few keys in crowded ranges, so the total is about the same for every name.
 */
export function keysToRead(typed: string): { keys: string[]; before: number; after: number } {
  const keys = indexKeys(typed);
  const each = ENTRIES_READ / keys.length;
  return { keys, before: Math.floor(each / 3), after: Math.ceil((each * 2) / 3) };
}

/**
 * The similar names, closest first: same letters, one typo, same beginning, two typos. Ties: same
 * first letter, then closest length, then name.
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

/** The number of typos, or a fixed rank for names that start this way. Infinity: not similar. */
function distanceBetween(typed: string[], name: string[]): number {
  // With two typos allowed, any two names of up to three letters would be similar.
  const maxTypos = typed.length < 2 ? 0 : typed.length < 4 ? 1 : 2;
  const typos = editDistance(typed, name, maxTypos);
  if (!typed.every((letter, at) => letter === name[at])) return typos;
  // One or two letters are more likely a beginning than a typo.
  return Math.min(typos, typed.length < 3 ? 0.5 : 1.5);
}

const ASCII = /^[ -~]*$/;
const PUNCTUATION = /[\p{P}\p{Z}\p{Cc}\p{Cf}]+/gu;
const MARKS = /\p{M}+/gu;

/**
 * The letters, digits and symbols of a name, without case and accents. Spaces and punctuation are
 * dropped unless nothing else is left.
 */
export function lettersOf(name: string): string[] {
  // Most names are ASCII, in which every character is a letter of its own.
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
