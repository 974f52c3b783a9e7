/** The time window of a query. */

import type { Problem } from "../domain/errors.ts";
import { formatTimestamp } from "../domain/time.ts";
import type { GivenValues } from "./endpoint.ts";
import { parameterProblem, quote } from "./problems.ts";
import type { Window } from "./query.ts";

/** The default length of the time window. */
export const WINDOW_DAYS = 28;
export const WINDOW_MILLISECONDS = WINDOW_DAYS * 24 * 60 * 60 * 1000;

const START = "filter[createdAt-start]";
const END = "filter[createdAt-end]";

/** A time in the future counts as now. */
export const windowOf = (
  start: number | undefined,
  end: number | undefined,
  now: number,
): Window => ({ start: start ?? now - WINDOW_MILLISECONDS, end: Math.min(end ?? now, now) });

/** Why the window is empty, if it is, and not because of an end that was already reported. */
export function windowProblem(
  given: GivenValues,
  start: number | undefined,
  end: number | undefined,
  now: number,
): Problem[] {
  const window = windowOf(start, end, now);
  if (window.start < window.end) return [];
  if (start !== undefined && start >= now) {
    const detail = `${START} must be before the current time, ${formatTimestamp(now)}; you sent ${sent(given, START)}.`;
    return [parameterProblem("invalid-window", START, detail)];
  }
  if (start !== undefined && end !== undefined) {
    const detail = `${START} must be before ${END}; you sent ${sent(given, START)} and ${sent(given, END)}.`;
    return [parameterProblem("invalid-window", START, detail)];
  }
  if (end === undefined || given.has(START)) return [];
  const earliest = formatTimestamp(now - WINDOW_MILLISECONDS);
  const detail = `${END} must be after the start of the window, by default ${WINDOW_DAYS} days ago (${earliest}); you sent ${sent(given, END)}. Set ${START} as well.`;
  return [parameterProblem("invalid-window", END, detail)];
}

const sent = (given: GivenValues, name: string): string => quote(given.get(name) ?? "");
