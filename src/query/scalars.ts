/** In charge of the values that are one thing: numbers, cursors, the sort key and timestamps. */

import type { Problem } from "../domain/errors.ts";
import { parseTimestamp, TIMESTAMP_EXAMPLE } from "../domain/time.ts";
import { parameterProblem, quote } from "./advice.ts";
import type { Reader } from "./context.ts";
import { decodeCursor } from "./cursor.ts";
import { LONGEST_NEAR } from "./limits.ts";
import { MAX_RECORDS } from "./parameters.ts";
import type { Cursor, Sort } from "./query.ts";

const DIGITS = /^[0-9]+$/;

export const readLimit: Reader<number> = (value, name, problems, _, endpoint) => {
  const limit = DIGITS.test(value) ? Number(value) : 0;
  const most = MAX_RECORDS[endpoint];
  if (limit >= 1 && limit <= most) return limit;
  const detail = `${name} must be a whole number from 1 to ${most}; you sent ${quote(value)}.`;
  problems.push(parameterProblem("invalid-parameter", name, detail));
  return undefined;
};

export const readOffset: Reader<number> = (value, name, problems, { maxOffset }, endpoint) => {
  if (endpoint === "players") return readOnlyOffset(value, name, problems);
  if (!DIGITS.test(value)) {
    const detail = `${name} must be a whole number, 0 or more; you sent ${quote(value)}.`;
    problems.push(parameterProblem("invalid-parameter", name, detail));
    return undefined;
  }
  const offset = Number(value);
  if (offset <= maxOffset) return offset;
  const detail = `${name} reaches no deeper than ${maxOffset}; you sent ${quote(value)}. Follow links.next, or narrow the window with filter[createdAt-start] and filter[createdAt-end].`;
  problems.push(parameterProblem("offset-too-deep", name, detail));
  return undefined;
};

/** There is one page of players, but some JSON:API libraries always send an offset. */
function readOnlyOffset(value: string, name: string, problems: Problem[]): number | undefined {
  if (DIGITS.test(value) && Number(value) === 0) return 0;
  const detail = `${name} must be 0 here, because the collection of players has no further pages; you sent ${quote(value)}. Use filter[playerNames] or filter[playerIds] to get other players.`;
  problems.push(parameterProblem("invalid-parameter", name, detail));
  return undefined;
}

export const readCursor: Reader<Cursor> = (value, name, problems) => {
  const cursor = decodeCursor(value);
  if (cursor) return cursor;
  const detail = `${name} must be a cursor exactly as it stands in links.next or links.prev; you sent ${quote(value)}. Leave it out to start from the first page.`;
  problems.push(parameterProblem("invalid-cursor", name, detail));
  return undefined;
};

export const readSort: Reader<Sort> = (value, name, problems) => {
  if (value === "createdAt" || value === "-createdAt") return value;
  const detail = `${name} must be createdAt (oldest first) or -createdAt (newest first); you sent ${quote(value)}.`;
  problems.push(parameterProblem("invalid-parameter", name, detail));
  return undefined;
};

export const readName: Reader<string> = (value, name, problems) => {
  const length = Array.from(value).length;
  if (length > LONGEST_NEAR) {
    const detail = `${name} takes ${LONGEST_NEAR} characters at most, and the beginning of a name is enough; you sent ${length}.`;
    problems.push(parameterProblem("invalid-parameter", name, detail));
    return undefined;
  }
  // Stores need not be able to look for it.
  if (value.includes("\0")) {
    const detail = `${name} has the character U+0000 in it, which no name has; leave it out.`;
    problems.push(parameterProblem("invalid-parameter", name, detail));
    return undefined;
  }
  return value;
};

export const readTimestamp: Reader<number> = (value, name, problems) => {
  const moment = parseTimestamp(withZoneSign(value));
  if (moment !== undefined) return moment;
  const detail = `${name} must be a real date and time with seconds and a zone, such as ${TIMESTAMP_EXAMPLE}; you sent ${quote(value)}.`;
  problems.push(parameterProblem("invalid-parameter", name, detail));
  return undefined;
};

const ZONE_LENGTH = "+00:00".length;

/** An unencoded `+` arrives as a blank. Where the zone's sign belongs, it can mean nothing else. */
function withZoneSign(text: string): string {
  const at = text.length - ZONE_LENGTH;
  return text[at] === " " ? `${text.slice(0, at)}+${text.slice(at + 1)}` : text;
}
