/** How much each key is used: requests by status and records served, by UTC day, counted in memory. */

const DAY_MS = 86_400_000;

/** Days since the epoch. */
export const dayOf = (nowMs: number): number => Math.floor(nowMs / DAY_MS);

/** As people write it: 2026-11-15. */
export const writtenDay = (day: number): string =>
  new Date(day * DAY_MS).toISOString().slice(0, "2026-11-15".length);

/** At least 1. */
export const secondsToNextDay = (nowMs: number): number =>
  Math.ceil(((dayOf(nowMs) + 1) * DAY_MS - nowMs) / 1000);

/** What was counted for one key on one day. */
export interface KeyDay {
  keyId: string;
  day: number;
  /** Requests by HTTP status. */
  requests: Map<number, number>;
  /** Match and player records in the bodies of responses. */
  records: number;
  /** Milliseconds since the epoch. */
  lastSeen: number;
}

export class UsageCounter {
  /** By key and day. There are two days around midnight, and more while they cannot be written. */
  readonly #days = new Map<string, Map<number, KeyDay>>();

  note(keyId: string, status: number, records: number, nowMs: number): void {
    const counted = this.#dayOf(keyId, dayOf(nowMs));
    counted.requests.set(status, (counted.requests.get(status) ?? 0) + 1);
    counted.records += records;
    counted.lastSeen = Math.max(counted.lastSeen, nowMs);
  }

  add({ keyId, day, requests, records, lastSeen }: KeyDay): void {
    const counted = this.#dayOf(keyId, day);
    for (const [status, count] of requests) {
      counted.requests.set(status, (counted.requests.get(status) ?? 0) + count);
    }
    counted.records += records;
    counted.lastSeen = Math.max(counted.lastSeen, lastSeen);
  }

  /** Takes out what was counted, of as many keys as make up `most` days or a little more. */
  take(most: number): KeyDay[] {
    const taken: KeyDay[] = [];
    for (const [keyId, days] of this.#days) {
      if (taken.length >= most) break;
      taken.push(...days.values());
      this.#days.delete(keyId);
    }
    return taken;
  }

  daysOf(keyId: string): KeyDay[] {
    return [...(this.#days.get(keyId)?.values() ?? [])];
  }

  lastSeen(): Map<string, number> {
    const latest = (days: Map<number, KeyDay>) =>
      Math.max(...[...days.values()].map(({ lastSeen }) => lastSeen));
    return new Map([...this.#days].map(([keyId, days]) => [keyId, latest(days)]));
  }

  #dayOf(keyId: string, day: number): KeyDay {
    let days = this.#days.get(keyId);
    if (!days) {
      days = new Map();
      this.#days.set(keyId, days);
    }
    let counted = days.get(day);
    if (!counted) {
      counted = { keyId, day, requests: new Map(), records: 0, lastSeen: 0 };
      days.set(day, counted);
    }
    return counted;
  }
}

/** The days of one key, counted in several places, oldest first. */
export function summed(days: readonly KeyDay[]): KeyDay[] {
  const sum = new UsageCounter();
  for (const day of days) sum.add(day);
  return sum.take(days.length).sort((one, other) => one.day - other.day);
}
