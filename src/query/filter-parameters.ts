/** Parses filter[createdAt-start] and -end, and the filters by names, ids, modes and versions. */

import type { Problem } from "../domain/errors.ts";
import { GAME_MODES, isServedMode } from "../domain/modes.ts";
import { formatTimestamp, parseTimestamp, TIMESTAMP_EXAMPLE } from "../domain/time.ts";
import { distinct, splitList } from "./comma-list.ts";
import { MAX_NEAR_LENGTH, MAX_VALUES, WINDOW_DAYS, WINDOW_MILLISECONDS } from "./parameters.ts";
import { emptyItem, enumerate, parameterProblem, quote, quoteUnknown } from "./problems.ts";
import type { GivenValues, ParsedValues, ValueParser, Window } from "./query.ts";

export const parseList: ValueParser<string[]> = (value, name, problems) => {
  const items = splitList(value);
  if (items === "stray backslash") {
    const detail = `${name} has a backslash that stands for nothing: write a backslash as \\\\ and a comma inside a value as \\,; you sent ${quote(value)}.`;
    problems.push(parameterProblem("invalid-parameter", name, detail));
    return undefined;
  }
  if (items === "empty item") {
    problems.push(emptyItem(name, value));
    return undefined;
  }
  const values = distinct(items);
  if (values.length > MAX_VALUES) {
    const detail = `${name} takes ${MAX_VALUES} values at most; you sent ${values.length}. Ask in several requests.`;
    problems.push(parameterProblem("too-many-values", name, detail));
    return undefined;
  }
  return values;
};

export const parseModes: ValueParser<string[]> = (value, name, problems, context, endpoint) => {
  const modes = parseList(value, name, problems, context, endpoint);
  if (modes === undefined || modes.every(isServedMode)) return modes;
  const unknown = modes.filter((mode) => !isServedMode(mode));
  const detail = `${name} takes these game modes: ${enumerate(GAME_MODES)}; you sent ${quoteUnknown(unknown, GAME_MODES)}.`;
  problems.push(parameterProblem("invalid-parameter", name, detail));
  return undefined;
};

/** The name of filter[near]. */
export const parseNear: ValueParser<string> = (value, name, problems) => {
  const length = Array.from(value).length;
  if (length > MAX_NEAR_LENGTH) {
    const detail = `${name} takes ${MAX_NEAR_LENGTH} characters at most, and the beginning of a name is enough; you sent ${length}.`;
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

export const parseTimestampFilter: ValueParser<number> = (value, name, problems) => {
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

const START = "filter[createdAt-start]";
const END = "filter[createdAt-end]";

/** The window; a meaningless one when a problem has been reported, here or with either end. */
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

/** Why the window is empty; undefined when an end that was reported already may be the reason. */
function explain(known: GivenValues, values: ParsedValues, now: number): Problem | undefined {
  const start = values[START];
  const end = values[END];
  if (start !== undefined && start >= now) {
    const detail = `${START} must be before now, which is ${formatTimestamp(now)}; you sent ${sent(known, START)}.`;
    return parameterProblem("invalid-window", START, detail);
  }
  if (start !== undefined && end !== undefined) {
    const detail = `${START} must be before ${END}; you sent ${sent(known, START)} and ${sent(known, END)}.`;
    return parameterProblem("invalid-window", START, detail);
  }
  if (end === undefined || known.has(START)) return undefined;
  const earliest = formatTimestamp(now - WINDOW_MILLISECONDS);
  const detail = `${END} must be after the start of the window, which is ${WINDOW_DAYS} days ago (${earliest}) unless you say otherwise; you sent ${sent(known, END)}. Give ${START} as well.`;
  return parameterProblem("invalid-window", END, detail);
}

const sent = (known: GivenValues, name: string): string => quote(known.get(name)?.value ?? "");
