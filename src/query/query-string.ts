/** Splits, decodes and writes query strings. */

import type { Problem } from "../domain/errors.ts";
import { MAX_PARAMETERS } from "./parameters.ts";
import { parameterProblem, quote } from "./problems.ts";
import type { GivenParameters } from "./query.ts";

/** The value is undefined if it could not be decoded, which is then reported. */
export type Pair = readonly [name: string, value: string | undefined];

const ENCODING_ADVICE = "percent-encode it as UTF-8, with %25 for a percent sign";

/** The parameters in the caller's order. A parameter without `=` has an empty value. */
export function splitQuery(raw: string, problems: Problem[]): Pair[] {
  const pairs: Pair[] = [];
  let parts = 0;
  for (let start = 0, end: number; start < raw.length; start = end + 1) {
    end = raw.indexOf("&", start);
    if (end === -1) end = raw.length;
    if (end === start) continue;
    if (++parts > MAX_PARAMETERS) {
      const detail = `The query has too many parameters; send at most ${MAX_PARAMETERS}.`;
      problems.push({ code: "malformed-query", detail });
      break;
    }
    const pair = readPair(raw.slice(start, end), problems);
    if (pair) pairs.push(pair);
  }
  return pairs;
}

function readPair(text: string, problems: Problem[]): Pair | undefined {
  const equals = text.indexOf("=");
  const name = formDecode(equals === -1 ? text : text.slice(0, equals));
  if (name === undefined || name === "") {
    const fault =
      name === ""
        ? "has no parameter name; write it as name=value"
        : `cannot be decoded; ${ENCODING_ADVICE}`;
    const detail = `The query part ${quote(text)} ${fault}.`;
    // Report repeated parts once.
    if (problems.every((known) => known.detail !== detail)) {
      problems.push({ code: "malformed-query", detail });
    }
    return undefined;
  }
  if (equals === -1) return [name, ""];
  const encoded = text.slice(equals + 1);
  const value = formDecode(encoded);
  if (value === undefined) {
    const detail = `The value of ${quote(name)} cannot be decoded; ${ENCODING_ADVICE}. You sent ${quote(encoded)}.`;
    if (problems.every((known) => known.detail !== detail)) {
      problems.push(parameterProblem("malformed-query", name, detail));
    }
  }
  return [name, value];
}

/** Undefined for an invalid escape and for bytes that are not UTF-8. */
function formDecode(text: string): string | undefined {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}

/** Most values need no escaping, and testing is faster than escaping. */
const PLAIN = /^[\w.~-]*$/;

const encoded = (text: string) => (PLAIN.test(text) ? text : encodeURIComponent(text));

/** The names of parameters, encoded: there are few, and each link repeats them. */
const names = new Map<string, string>();

function encodedName(name: string): string {
  let known = names.get(name);
  if (known === undefined) {
    known = encoded(name);
    names.set(name, known);
  }
  return known;
}

/** Percent-encodes brackets and commas too. Expects names that an endpoint accepts. */
export function writeQuery(pairs: GivenParameters): string {
  let query = "";
  for (const [name, value] of pairs) {
    if (query !== "") query += "&";
    query += `${encodedName(name)}=${encoded(value)}`;
  }
  return query;
}
