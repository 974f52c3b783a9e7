/** The usage of keys: requests by status and records, per UTC day. */

const DAY_MS = 86_400_000;

/** Days since the epoch. */
export const dayOf = (nowMs: number): number => Math.floor(nowMs / DAY_MS);

/** ISO date: 2026-11-15. */
export const writtenDay = (day: number): string =>
  new Date(day * DAY_MS).toISOString().slice(0, "2026-11-15".length);

/** At least 1. */
export const secondsToNextDay = (nowMs: number): number =>
  Math.ceil(((dayOf(nowMs) + 1) * DAY_MS - nowMs) / 1000);

/** The requests of a key on a day that got one HTTP status. */
export interface UsageCount {
  keyId: string;
  day: number;
  status: number;
  requests: number;
  /** Match and player records in response bodies. */
  records: number;
  /** Milliseconds since the epoch. */
  lastSeen: number;
}

/** The usage of one key on one day. */
export interface KeyDay extends Omit<UsageCount, "status" | "requests"> {
  /** Requests by HTTP status. */
  requests: Map<number, number>;
}

/** The requests of a key on a day, or those with at least this status. */
export function requestsOf(day: KeyDay | undefined, least = 0): number {
  let sum = 0;
  for (const [status, count] of day?.requests ?? []) if (status >= least) sum += count;
  return sum;
}

/** The days of keys, oldest first, from counts that may come from several sources. */
export function daysIn(counts: readonly UsageCount[]): KeyDay[] {
  const days = new Map<string, KeyDay>();
  for (const { status, requests, ...count } of counts) {
    const name = `${count.day} ${count.keyId}`;
    const day = days.get(name) ?? { ...count, records: 0, requests: new Map<number, number>() };
    days.set(name, day);
    day.requests.set(status, (day.requests.get(status) ?? 0) + requests);
    day.records += count.records;
    day.lastSeen = Math.max(day.lastSeen, count.lastSeen);
  }
  return [...days.values()].sort((one, other) => one.day - other.day);
}
