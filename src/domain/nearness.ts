/** In charge of which names are close to a mistyped one, and which of them closest. */

import { lettersOf } from "./name-spots.ts";

/** Adding, leaving out or changing a letter is a slip, and so is swapping two neighbours. */
const MOST_SLIPS = 2;
/** With fewer letters, two of them wrong would make any name close to any other. */
const LETTERS_FOR_TWO_SLIPS = 4;
/** With fewer letters, somebody is more likely to have begun a name than to have mistyped it. */
const LETTERS_FOR_A_NAME = 3;

interface Judged {
  name: string;
  letters: ArrayLike<string>;
  /** The lower, the closer. */
  distance: number;
}

/**
 * Those of the names that are close to what was typed, closest first, `most` of them at most: the same
 * letters; one slip; names that begin so; two slips. (Of the first one or two letters of a name,
 * beginnings count more than slips.) Where two are alike in this, the one with the same first letter
 * comes first, then the one whose length fits better, then by name.
 */
export function closest(typed: string, names: Iterable<string>, most: number): string[] {
  const letters = lettersOf(typed);
  const judged: Judged[] = [];
  for (const name of names) {
    const one = judge(typed, letters, name);
    if (one) judged.push(one);
  }
  judged.sort((a, b) => compare(a, b, letters));
  return judged.slice(0, most).map(({ name }) => name);
}

function judge(typed: string, letters: ArrayLike<string>, name: string): Judged | undefined {
  if (name === typed) return { name, letters, distance: -1 };
  const others = lettersOf(name);
  const slips = slipsBetween(letters, others, slipsForgiven(letters));
  const begun = begins(letters, others) ? distanceOfBeginning(letters) : Number.POSITIVE_INFINITY;
  const distance = Math.min(slips ?? Number.POSITIVE_INFINITY, begun);
  return distance === Number.POSITIVE_INFINITY ? undefined : { name, letters: others, distance };
}

const slipsForgiven = ({ length }: ArrayLike<string>): number =>
  length < 2 ? 0 : length < LETTERS_FOR_TWO_SLIPS ? 1 : MOST_SLIPS;

const distanceOfBeginning = ({ length }: ArrayLike<string>): number =>
  length < LETTERS_FOR_A_NAME ? 0.5 : 1.5;

function begins(letters: ArrayLike<string>, others: ArrayLike<string>): boolean {
  if (others.length < letters.length) return false;
  for (let at = 0; at < letters.length; at++) if (letters[at] !== others[at]) return false;
  return true;
}

function compare(a: Judged, b: Judged, typed: ArrayLike<string>): number {
  const strangeness = ({ letters }: Judged) => (letters[0] === typed[0] ? 0 : 1);
  const misfit = ({ letters }: Judged) => Math.abs(letters.length - typed.length);
  return (
    a.distance - b.distance ||
    strangeness(a) - strangeness(b) ||
    misfit(a) - misfit(b) ||
    (a.name < b.name ? -1 : 1)
  );
}

/** How many slips lead from one to the other; undefined when they are more than `most`. */
export function slipsBetween(
  one: ArrayLike<string>,
  other: ArrayLike<string>,
  most: number,
): number | undefined {
  if (Math.abs(one.length - other.length) > most) return undefined;
  const slips = slipsFrom(one, 0, other, 0, most);
  return slips <= most ? slips : undefined;
}

/**
 * Goes on from these two places: letters that are equal cost nothing, and where they differ, each kind
 * of slip is tried. So few are forgiven that this takes fewer steps than the usual table.
 */
function slipsFrom(
  one: ArrayLike<string>,
  at: number,
  other: ArrayLike<string>,
  there: number,
  most: number,
): number {
  let i = at;
  let j = there;
  while (i < one.length && j < other.length && one[i] === other[j]) {
    i += 1;
    j += 1;
  }
  const left = one.length - i;
  const leftThere = other.length - j;
  if (left === 0 && leftThere === 0) return 0;
  if (Math.abs(left - leftThere) > most) return most + 1;
  if (left === 0 || leftThere === 0) return left + leftThere;
  if (most === 0) return 1;
  const rest = most - 1;
  let least = slipsFrom(one, i + 1, other, j + 1, rest);
  if (least > 0) least = Math.min(least, slipsFrom(one, i + 1, other, j, rest));
  if (least > 0) least = Math.min(least, slipsFrom(one, i, other, j + 1, rest));
  if (least > 0 && one[i] === other[j + 1] && one[i + 1] === other[j]) {
    least = Math.min(least, slipsFrom(one, i + 2, other, j + 2, rest));
  }
  return 1 + least;
}
