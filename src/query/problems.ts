/** The wording that problems with a query share. */

import type { ErrorCode, Problem } from "../domain/errors.ts";
import { nearest } from "../text/nearest.ts";

const QUOTE_LENGTH = 60;
const QUOTED_ITEMS = 5;
const ENUMERATED_ITEMS = 50;

export function parameterProblem(code: ErrorCode, parameter: string, detail: string): Problem {
  return { code, detail, source: { parameter } };
}

/** The text in quotes, shortened when it is long. */
export function quote(text: string): string {
  if (text.length <= QUOTE_LENGTH) return `"${text}"`;
  let end = QUOTE_LENGTH - 1;
  // Half a surrogate pair could not be sent as UTF-8.
  if (isHighSurrogate(text.charCodeAt(end - 1))) end--;
  return `"${text.slice(0, end)}…"`;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Items outside a closed list: each in quotes, with the one it was probably meant to be. */
export function quoteUnknown(unknown: readonly string[], known: Iterable<string>): string {
  const candidates = [...known];
  const quoted = unknown.slice(0, QUOTED_ITEMS).map((item) => {
    const guess = nearest(item, candidates);
    return guess === undefined ? quote(item) : `${quote(item)} (did you mean "${guess}"?)`;
  });
  const more = unknown.length - quoted.length;
  return quoted.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Words as one enumeration, for "Known are: …"; records may have brought any number of them. */
export function enumerate(words: Iterable<string>): string {
  const list = [...words];
  const named = list.slice(0, ENUMERATED_ITEMS).join(", ");
  if (list.length > ENUMERATED_ITEMS) return `${named} and ${list.length - ENUMERATED_ITEMS} more`;
  return list.length === 0 ? "none" : named;
}

export function emptyItem(name: string, value: string): Problem {
  const detail = `${name} has an empty item: put exactly one comma between two items and none at the ends; you sent ${quote(value)}.`;
  return parameterProblem("invalid-parameter", name, detail);
}
