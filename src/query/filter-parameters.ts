/** Parses the filters: time window, names, ids, game modes and versions. */

import type { Problem } from "../domain/errors.ts";
import { PERIODS, type Period } from "../domain/leaderboards.ts";
import { GAME_MODES, isServedMode } from "../domain/modes.ts";
import { formatTimestamp, parseTimestamp, TIMESTAMP_EXAMPLE } from "../domain/time.ts";
import { distinct, splitList } from "./comma-list.ts";
import {
  MAX_BOARD_PLAYERS,
  MAX_NEAR_LENGTH,
  MAX_VALUES,
  WINDOW_DAYS,
  WINDOW_MILLISECONDS,
} from "./parameters.ts";
import { emptyItem, enumerate, parameterProblem, quote, quoteUnknown } from "./problems.ts";
import type { GivenValues, ParsedValues, ValueParser, Window } from "./query.ts";

export const parseList: ValueParser<string[]> = (value, name, problems, _, endpoint) => {
  const items = splitList(value);
  if (items === "stray backslash") {
    const detail = `${name} has a stray backslash; write a backslash as \\\\ and a comma inside a value as \\,. You sent ${quote(value)}.`;
    problems.push(parameterProblem("invalid-parameter", name, detail));
    return undefined;
  }
  if (items === "empty item") {
    problems.push(emptyItem(name, value));
    return undefined;
  }
  const values = distinct(items);
  const most = endpoint === "leaderboards" ? MAX_BOARD_PLAYERS : MAX_VALUES;
  if (values.length > most) {
    const detail = `${name} accepts at most ${most} values; you sent ${values.length}. Split them into several requests.`;
    problems.push(parameterProblem("too-many-values", name, detail));
    return undefined;
  }
  return values;
};

export const parseModes: ValueParser<string[]> = (value, name, problems, context, endpoint) => {
  const modes = parseList(value, name, problems, context, endpoint);
  if (modes === undefined || modes.every(isServedMode)) return modes;
  const unknown = modes.filter((mode) => !isServedMode(mode));
  const detail = `${name} accepts these game modes: ${enumerate(GAME_MODES)}. You sent ${quoteUnknown(unknown, GAME_MODES)}.`;
  problems.push(parameterProblem("invalid-parameter", name, detail));
  return undefined;
};

export const parsePeriod: ValueParser<Period> = (value, name, problems) => {
  const period = PERIODS.find((one) => one === value);
  if (period) return period;
  const detail = `${name} must be ${PERIODS.join(" or ")}; you sent ${quote(value)}.`;
  problems.push(parameterProblem("invalid-parameter", name, detail));
  return undefined;
};

export const parseNear: ValueParser<string> = (value, name, problems) => {
  const length = Array.from(value).length;
  if (length > MAX_NEAR_LENGTH) {
    const detail = `${name} accepts at most ${MAX_NEAR_LENGTH} characters; you sent ${length}. The beginning of a name is enough.`;
    problems.push(parameterProblem("invalid-parameter", name, detail));
    return undefined;
  }
  // PostgreSQL cannot search for it.
  if (value.includes("\0")) {
    const detail = `${name} contains the character U+0000, which no name contains; remove it.`;
    problems.push(parameterProblem("invalid-parameter", name, detail));
    return undefined;
  }
  return value;
};

export const parseTimestampFilter: ValueParser<number> = (value, name, problems) => {
  const moment = parseTimestamp(withZoneSign(value));
  if (moment !== undefined) return moment;
  const detail = `${name} must be a valid date and time with seconds and a time zone, e.g. ${TIMESTAMP_EXAMPLE}; you sent ${quote(value)}.`;
  problems.push(parameterProblem("invalid-parameter", name, detail));
  return undefined;
};

const ZONE_LENGTH = "+00:00".length;

/** An unencoded `+` arrives as a space. Before a zone offset it can only mean `+`. */
function withZoneSign(text: string): string {
  const at = text.length - ZONE_LENGTH;
  return text[at] === " " ? `${text.slice(0, at)}+${text.slice(at + 1)}` : text;
}

const START = "filter[createdAt-start]";
const END = "filter[createdAt-end]";

/** The result is only valid if no problem was reported, here or with either end. */
export function windowOf(
  known: GivenValues,
  values: ParsedValues,
  now: number,
  problems: Problem[],
): Window {
  const start = values[START] ?? now - WINDOW_MILLISECONDS;
  const end = Math.min(values[END] ?? now, now);
  if (start >= end) {
    const fault = explain(known, values, now);
    if (fault) problems.push(fault);
  }
  return { start, end };
}

/** Undefined if the empty window follows from an end that was already reported. */
function explain(known: GivenValues, values: ParsedValues, now: number): Problem | undefined {
  const start = values[START];
  const end = values[END];
  if (start !== undefined && start >= now) {
    const detail = `${START} must be before the current time, ${formatTimestamp(now)}; you sent ${sent(known, START)}.`;
    return parameterProblem("invalid-window", START, detail);
  }
  if (start !== undefined && end !== undefined) {
    const detail = `${START} must be before ${END}; you sent ${sent(known, START)} and ${sent(known, END)}.`;
    return parameterProblem("invalid-window", START, detail);
  }
  if (end === undefined || known.has(START)) return undefined;
  const earliest = formatTimestamp(now - WINDOW_MILLISECONDS);
  const detail = `${END} must be after the start of the window, by default ${WINDOW_DAYS} days ago (${earliest}); you sent ${sent(known, END)}. Set ${START} as well.`;
  return parameterProblem("invalid-window", END, detail);
}

const sent = (known: GivenValues, name: string): string => quote(known.get(name)?.value ?? "");
