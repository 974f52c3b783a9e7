/** Wording shared by parameter errors. */

import type { ErrorCode, Problem } from "../domain/errors.ts";
import { nearest } from "../text/nearest.ts";

const QUOTE_LENGTH = 60;
const QUOTED_ITEMS = 5;
const ENUMERATED_ITEMS = 50;

export function parameterProblem(code: ErrorCode, parameter: string, detail: string): Problem {
  return { code, detail, source: { parameter } };
}

/** Long texts are shortened. */
export function quote(text: string): string {
  if (text.length <= QUOTE_LENGTH) return `"${text}"`;
  let end = QUOTE_LENGTH - 1;
  // Do not split a surrogate pair.
  if (isHighSurrogate(text.charCodeAt(end - 1))) end--;
  return `"${text.slice(0, end)}…"`;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Unknown items in quotes, each with the closest known one. */
export function quoteUnknown(unknown: readonly string[], known: Iterable<string>): string {
  const candidates = [...known];
  const quoted = unknown.slice(0, QUOTED_ITEMS).map((item) => {
    const guess = nearest(item, candidates);
    return guess === undefined ? quote(item) : `${quote(item)} (did you mean "${guess}"?)`;
  });
  const more = unknown.length - quoted.length;
  return quoted.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** A list of words, shortened: records can add any number of them. */
export function enumerate(words: Iterable<string>): string {
  const list = [...words];
  const named = list.slice(0, ENUMERATED_ITEMS).join(", ");
  if (list.length > ENUMERATED_ITEMS) return `${named} and ${list.length - ENUMERATED_ITEMS} more`;
  return list.length === 0 ? "none" : named;
}

export function emptyItem(name: string, value: string): Problem {
  const detail = `${name} has an empty item; separate items with single commas. You sent ${quote(value)}.`;
  return parameterProblem("invalid-parameter", name, detail);
}

export const conflict = (name: string, other: string): Problem =>
  parameterProblem(
    "conflicting-parameters",
    name,
    `${name} and ${other} cannot be combined; send only one.`,
  );
