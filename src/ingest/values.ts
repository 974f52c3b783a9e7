/** In charge of values that cannot be kept faithfully, wherever in a record they stand. */

import type { Json } from "../domain/json.ts";

const DEEPEST = 64;
const LARGEST = 2 ** 53;
/** Where 2^53 stands, the text may have said 2^53 + 1: those digits are looked at in the source. */
const LARGEST_DIGITS = "9007199254740993";

/** Parses JSON; an integer that the parser would have to round becomes infinite, to be found later. */
export function parseExactly(text: string): unknown {
  if (!text.includes(LARGEST_DIGITS)) return JSON.parse(text);
  return JSON.parse(text, (_name, value, context?: { source?: string }) =>
    value === LARGEST || value === -LARGEST ? exactOrInfinite(value, context?.source) : value,
  );
}

function exactOrInfinite(value: number, source: string | undefined): number {
  const isExact = source !== undefined && /^-?9007199254740992(\.0*)?$/.test(source);
  return isExact ? value : Number.POSITIVE_INFINITY;
}

/** Numbers that would be corrupted, broken text, and nesting without end; one sentence each. */
export function valueProblems(value: unknown): string[] {
  const problems: string[] = [];
  look(value as Json, "", 0, problems);
  return problems;
}

function look(value: Json, path: string, depth: number, problems: string[]): void {
  if (typeof value === "number") {
    if (Number.isFinite(value) && Math.abs(value) <= LARGEST) return;
    if (Number.isFinite(value) && !Number.isInteger(value)) return;
    problems.push(`${path} is a number beyond 2^53, which would be corrupted: send it as a string`);
  } else if (typeof value === "string") {
    if (!value.isWellFormed())
      problems.push(`${path} holds half of a surrogate pair: mend the text`);
  } else if (typeof value === "object" && value !== null) {
    if (depth === DEEPEST) {
      problems.push(`${path} is nested deeper than ${DEEPEST} levels`);
      return;
    }
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        look(value[index]!, `${path}.${index}`, depth + 1, problems);
      }
      return;
    }
    for (const name of Object.keys(value)) {
      if (!name.isWellFormed()) problems.push(`${path} has a member whose name is broken text`);
      look(value[name]!, path === "" ? name : `${path}.${name}`, depth + 1, problems);
    }
  }
}
