/** Pages of matches: how they are requested, and what the model expects. */

import { parametersOf, query } from "../properties/asking.ts";
import { SHARD } from "../trial/soak/records.ts";
import type { Body, Expected } from "./question.ts";
import type { Filters, Thing } from "./record.ts";
import type { State } from "./state.ts";

export const AT = `/shards/${SHARD}`;
export const DAY_MS = 86_400_000;
export const MODES = ["ranked", "casual", "private", "blitz_pvp_ranked", "casual_aral"];

export interface ListOf {
  filters: Filters;
  window: { start: number; end: number };
  isDescending: boolean;
  limit: number;
}

export function pagePath(list: ListOf, more: Record<string, string> = {}): string {
  return `${AT}/matches?${query({
    ...parametersOf(list.filters),
    "filter[createdAt-start]": written(list.window.start),
    "filter[createdAt-end]": written(list.window.end),
    sort: `${list.isDescending ? "-" : ""}createdAt`,
    "page[limit]": `${list.limit}`,
    ...more,
  })}`;
}

/** The page as a response. An empty page has links that depend on how it was asked for. */
export function pageExpected(
  state: State,
  { ids, hasAfter, hasBefore }: ReturnType<State["page"]>,
  window: { start: number; end: number },
): Expected {
  return {
    status: 200,
    ...state.document(ids),
    meta: { window: { start: written(window.start), end: written(window.end) } },
    next: hasAfter,
    ...(ids.length > 0 ? { prev: hasBefore } : {}),
  };
}

/** The 28 days before now, as a response states them. The clocks are the same. */
export function windowIn(body: Body, now = Date.now()): { start: number; end: number } | undefined {
  const stated = body?.meta?.window as Thing | undefined;
  if (!stated) return undefined;
  const [start, end] = [Date.parse(String(stated.start)), Date.parse(String(stated.end))];
  const age = now - end;
  return end - start === 28 * DAY_MS && age > -1000 && age < 60_000 ? { start, end } : undefined;
}

/** A time as it is served. */
export const written = (at: number): string => new Date(at).toISOString().replace(".000Z", "Z");
