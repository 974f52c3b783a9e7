/** In charge of values that cannot be kept faithfully, wherever in a record they stand. */

import type { Json } from "../domain/json.ts";
import { ENOUGH_REASONS } from "./reasons.ts";

const DEEPEST = 64;
const LARGEST = 2 ** 53;
/** The digits of 2^53 + 1, which the parser rounds to 2^53; a point and an exponent may shift them. */
const ROUNDED = new RegExp([..."9007199254740993"].join("\\.?"));

/** Parses JSON; 2^53 + 1, which would pass for 2^53, becomes a number that is found to be too large. */
export function parseExactly(text: string): unknown {
  if (!ROUNDED.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_name, value, context?: { source?: string }) =>
    isRounded(value, context?.source) ? value + 2 * Math.sign(value) : value,
  );
}

/** Parses JSON to be written again: numbers that would be corrupted keep the digits they came with. */
export function parseAsWritten(text: string): unknown {
  return JSON.parse(text, (_name, value, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value !== "number" || source === undefined) return value;
    return isExact(value) && !isRounded(value, source) ? value : rawJson(source);
  });
}

const rawJson = (JSON as unknown as { rawJSON(source: string): unknown }).rawJSON;

function isRounded(value: unknown, source: string | undefined): boolean {
  if (value !== LARGEST && value !== -LARGEST) return false;
  const digits = source?.replace(/[eE].*$/, "").replace(/[-.]/g, "");
  return digits?.replace(/^0+|0+$/g, "") === "9007199254740993";
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

/** The beginning of a path tells where to look; the rest of a deep one does not. */
const shortened = (path: string) => (path.length > 60 ? `${path.slice(0, 60)}…` : path);

function look(value: Json, path: string, depth: number, problems: string[]): void {
  if (problems.length >= ENOUGH_REASONS) return;
  if (typeof value === "number" && !isExact(value)) {
    problems.push(`${path} is a number beyond 2^53, which would be corrupted: send it as a string`);
  } else if (typeof value === "string" && !value.isWellFormed()) {
    problems.push(`${path} holds half of a surrogate pair: mend the text`);
  } else if (typeof value === "object" && value !== null) {
    if (depth === DEEPEST) {
      problems.push(`${shortened(path)} is nested deeper than ${DEEPEST} levels: make it flatter`);
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      if (!name.isWellFormed())
        problems.push(`${path} has a name with half of a surrogate pair: mend it`);
      look(member, path === "" ? name : `${path}.${name}`, depth + 1, problems);
    }
  }
}
