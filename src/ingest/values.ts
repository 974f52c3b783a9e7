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
  if (isSound(value as Json, 0)) return [];
  const problems: string[] = [];
  look(value as Json, "", 0, problems);
  return problems;
}

const isExact = (value: number) =>
  Math.abs(value) <= LARGEST || (Number.isFinite(value) && !Number.isInteger(value));

/** The quick question, for the many records that have no such problem. */
function isSound(value: Json, depth: number): boolean {
  if (typeof value === "number") return isExact(value);
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (depth === DEEPEST) return false;
  if (Array.isArray(value)) return value.every((one) => isSound(one, depth + 1));
  for (const name in value) {
    if (!name.isWellFormed() || !isSound(value[name]!, depth + 1)) return false;
  }
  return true;
}

function look(value: Json, path: string, depth: number, problems: string[]): void {
  if (typeof value === "number" && !isExact(value)) {
    problems.push(`${path} is a number beyond 2^53, which would be corrupted: send it as a string`);
  } else if (typeof value === "string" && !value.isWellFormed()) {
    problems.push(`${path} holds half of a surrogate pair: mend the text`);
  } else if (typeof value === "object" && value !== null) {
    if (depth === DEEPEST) {
      problems.push(`${path} is nested deeper than ${DEEPEST} levels`);
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      if (!name.isWellFormed()) problems.push(`${path} has a member whose name is broken text`);
      look(member, path === "" ? name : `${path}.${name}`, depth + 1, problems);
    }
  }
}
