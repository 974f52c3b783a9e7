/** Parses page[limit], page[offset], page[after], page[before], page[wait] and sort. */

import { ACTOR_SORTS, type ActorSort } from "../domain/actors.ts";
import type { Problem } from "../domain/errors.ts";
import type { BoardPosition } from "../domain/leaderboards.ts";
import { decodeBoardCursor } from "./board-cursor.ts";
import { decodeCursor } from "./cursor.ts";
import { decodeLogCursor } from "./log-cursor.ts";
import { MAX_RECORDS, MAX_WAIT } from "./parameters.ts";
import { parameterProblem, quote } from "./problems.ts";
import type {
  Cursor,
  GivenValues,
  LogStart,
  PageStart,
  ParsedValues,
  Sort,
  ValueParser,
} from "./query.ts";

const DIGITS = /^[0-9]+$/;

export const parseLimit: ValueParser<number> = (value, name, problems, _, endpoint) => {
  const limit = DIGITS.test(value) ? Number(value) : 0;
  const most = MAX_RECORDS[endpoint];
  if (limit >= 1 && limit <= most) return limit;
  const detail = `${name} must be an integer from 1 to ${most}; you sent ${quote(value)}.`;
  problems.push(parameterProblem("invalid-parameter", name, detail));
  return undefined;
};

export const parseOffset: ValueParser<number> = (
  value,
  name,
  problems,
  { maxOffset },
  endpoint,
) => {
  if (endpoint === "players") return parseOnlyOffset(value, name, problems);
  if (!DIGITS.test(value)) {
    const detail = `${name} must be an integer of 0 or more; you sent ${quote(value)}.`;
    problems.push(parameterProblem("invalid-parameter", name, detail));
    return undefined;
  }
  const offset = Number(value);
  if (offset <= maxOffset) return offset;
  const detail = `${name} must be at most ${maxOffset}; you sent ${quote(value)}. Follow links.next instead, or narrow the window with filter[createdAt-start] and filter[createdAt-end].`;
  problems.push(parameterProblem("offset-too-deep", name, detail));
  return undefined;
};

/** Players have one page, but some JSON:API libraries always send an offset. */
function parseOnlyOffset(value: string, name: string, problems: Problem[]): number | undefined {
  if (DIGITS.test(value) && Number(value) === 0) return 0;
  const detail = `${name} must be 0 for players, which have only one page; you sent ${quote(value)}. Select players with filter[playerNames] or filter[playerIds].`;
  problems.push(parameterProblem("invalid-parameter", name, detail));
  return undefined;
}

export const parseCursor: ValueParser<Cursor | LogStart | BoardPosition> = (
  value,
  name,
  problems,
  _,
  endpoint,
) => {
  if (endpoint === "changes") return parseLogStart(value, name, problems);
  const cursor = endpoint === "leaderboards" ? decodeBoardCursor(value) : decodeCursor(value);
  if (cursor) return cursor;
  const detail = `${name} must be a cursor copied unchanged from ${endpoint === "leaderboards" ? "links.next" : "links.next or links.prev"}; you sent ${quote(value)}. Omit it to start from the first page.`;
  problems.push(parameterProblem("invalid-cursor", name, detail));
  return undefined;
};

function parseLogStart(value: string, name: string, problems: Problem[]): LogStart | undefined {
  const start = value === "oldest" ? value : decodeLogCursor(value);
  if (start) return start;
  const detail = `${name} must be "oldest", the id of a change, or a cursor copied unchanged from links.next; you sent ${quote(value)}. Omit it to get changes from now on.`;
  problems.push(parameterProblem("invalid-cursor", name, detail));
  return undefined;
}

export const parseWait: ValueParser<number> = (value, name, problems) => {
  const wait = DIGITS.test(value) ? Number(value) : -1;
  if (wait >= 0 && wait <= MAX_WAIT) return wait;
  const detail = `${name} must be an integer from 0 to ${MAX_WAIT}, in seconds; you sent ${quote(value)}.`;
  problems.push(parameterProblem("invalid-parameter", name, detail));
  return undefined;
};

export const parseSort: ValueParser<Sort | ActorSort> = (value, name, problems, _, endpoint) => {
  if (endpoint === "actors") return parseActorSort(value, name, problems);
  if (value === "createdAt" || value === "-createdAt") return value;
  const detail = `${name} must be createdAt (oldest first) or -createdAt (newest first); you sent ${quote(value)}.`;
  problems.push(parameterProblem("invalid-parameter", name, detail));
  return undefined;
};

function parseActorSort(value: string, name: string, problems: Problem[]): ActorSort | undefined {
  const sort = ACTOR_SORTS.find((one) => one === value);
  if (sort) return sort;
  const names = ACTOR_SORTS.filter((one) => !one.startsWith("-"));
  const detail = `${name} must be one of ${names.join(", ")}, with - for descending order; you sent ${quote(value)}.`;
  problems.push(parameterProblem("invalid-parameter", name, detail));
  return undefined;
}

const OFFSET = "page[offset]";
const AFTER = "page[after]";
const BEFORE = "page[before]";

/**
 * A page starts at an offset or at one cursor, never both. The result is only valid if no problem
 * was reported.
 */
export function pageStartOf(
  known: GivenValues,
  values: ParsedValues,
  problems: Problem[],
): PageStart {
  if (known.has(AFTER) || known.has(BEFORE)) checkConflicts(known, problems);
  // Only changes have the other kind of cursor.
  const after = values[AFTER] as Cursor | undefined;
  if (after) return { from: "after", gap: after };
  const before = values[BEFORE] as Cursor | undefined;
  if (before) return { from: "before", gap: before };
  return { from: "offset", offset: values[OFFSET] ?? 0 };
}

function checkConflicts(known: GivenValues, problems: Problem[]): void {
  if (known.has(AFTER) && known.has(BEFORE)) {
    const detail = `${AFTER} and ${BEFORE} cannot be combined; send only one.`;
    problems.push(parameterProblem("conflicting-parameters", BEFORE, detail));
  }
  if (known.has(OFFSET)) {
    const cursor = known.has(AFTER) ? AFTER : BEFORE;
    const detail = `${OFFSET} and ${cursor} cannot be combined; send only one.`;
    problems.push(parameterProblem("conflicting-parameters", OFFSET, detail));
  }
}
