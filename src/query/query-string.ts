/** Splits and decodes a query string, and writes one. */

import type { Problem } from "../domain/errors.ts";
import { MAX_PARAMETERS } from "./parameters.ts";
import { parameterProblem, quote } from "./problems.ts";
import type { GivenParameters } from "./query.ts";

/** A parameter as given; the value is undefined when it could not be decoded, which is reported. */
export type Pair = readonly [name: string, value: string | undefined];

const ENCODING_ADVICE = "percent-encode it as UTF-8, and write a percent sign itself as %25";

/** The parameters in the caller's order. A parameter without `=` has an empty value. */
export function splitQuery(raw: string, problems: Problem[]): Pair[] {
  const pairs: Pair[] = [];
  let parts = 0;
  for (let start = 0, end: number; start < raw.length; start = end + 1) {
    end = raw.indexOf("&", start);
    if (end === -1) end = raw.length;
    if (end === start) continue;
    if (++parts > MAX_PARAMETERS) {
      const detail = `The query has too many parameters; send ${MAX_PARAMETERS} at most.`;
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
        ? "has no parameter name before the =: write it as name=value"
        : `cannot be read: ${ENCODING_ADVICE}`;
    const detail = `The part ${quote(text)} ${fault}.`;
    // The same part again would say the same again.
    if (problems.every((known) => known.detail !== detail)) {
      problems.push({ code: "malformed-query", detail });
    }
    return undefined;
  }
  if (equals === -1) return [name, ""];
  const encoded = text.slice(equals + 1);
  const value = formDecode(encoded);
  if (value === undefined) {
    const detail = `The value of ${quote(name)} cannot be read: ${ENCODING_ADVICE}; you sent ${quote(encoded)}.`;
    if (problems.every((known) => known.detail !== detail)) {
      problems.push(parameterProblem("malformed-query", name, detail));
    }
  }
  return [name, value];
}

/** Undefined for a broken escape and for bytes that are no UTF-8. */
function formDecode(text: string): string | undefined {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}

/** Nothing in these has to be escaped, and most values are such: asking is quicker than escaping. */
const PLAIN = /^[\w.~-]*$/;

const encoded = (text: string) => (PLAIN.test(text) ? text : encodeURIComponent(text));

/** The query string that reads back as these parameters, brackets and commas percent-encoded. */
export function writeQuery(pairs: GivenParameters): string {
  let query = "";
  for (const [name, value] of pairs) {
    if (query !== "") query += "&";
    query += `${encoded(name)}=${encoded(value)}`;
  }
  return query;
}
