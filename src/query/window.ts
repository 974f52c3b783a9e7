/** In charge of the time window a query of matches searches: its defaults and its order. */

import type { Problem } from "../domain/errors.ts";
import { formatTimestamp } from "../domain/time.ts";
import { parameterProblem, quote } from "./advice.ts";
import { WINDOW_DAYS, WINDOW_MILLISECONDS } from "./limits.ts";
import type { Known } from "./names.ts";
import type { Window } from "./query.ts";
import type { Readings } from "./values.ts";

const START = "filter[createdAt-start]";
const END = "filter[createdAt-end]";

/** The window; a meaningless one when a problem has been reported, here or with either end. */
export function settleWindow(
  known: ReadonlyMap<string, Known>,
  readings: Readings,
  now: number,
  problems: Problem[],
): Window {
  const start = readings[START] ?? now - WINDOW_MILLISECONDS;
  const end = Math.min(readings[END] ?? now, now);
  if (start >= end) {
    const fault = explain(known, readings, now);
    if (fault) problems.push(fault);
  }
  return { start, end };
}

/** Why the window is empty; undefined when an end that was reported already may be the reason. */
function explain(
  known: ReadonlyMap<string, Known>,
  readings: Readings,
  now: number,
): Problem | undefined {
  const start = readings[START];
  const end = readings[END];
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

const sent = (known: ReadonlyMap<string, Known>, name: string): string =>
  quote(known.get(name)?.value ?? "");
