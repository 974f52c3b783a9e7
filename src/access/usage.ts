/** Counts the usage of each key in memory: requests by status and records, per UTC day. */

const DAY_MS = 86_400_000;

/** Days since the epoch. */
export const dayOf = (nowMs: number): number => Math.floor(nowMs / DAY_MS);

/** ISO date: 2026-11-15. */
export const writtenDay = (day: number): string =>
  new Date(day * DAY_MS).toISOString().slice(0, "2026-11-15".length);

/** At least 1. */
export const secondsToNextDay = (nowMs: number): number =>
  Math.ceil(((dayOf(nowMs) + 1) * DAY_MS - nowMs) / 1000);

/** The usage of one key on one day. */
export interface KeyDay {
  keyId: string;
  day: number;
  /** Requests by HTTP status. */
  requests: Map<number, number>;
  /** Match and player records in response bodies. */
  records: number;
  /** Milliseconds since the epoch. */
  lastSeen: number;
}

export class UsageCounter {
  /** By day and key. A key can have several days around midnight, and while writes fail. */
  readonly #days = new Map<string, KeyDay>();

  get days(): KeyDay[] {
    return [...this.#days.values()];
  }

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

  #dayOf(keyId: string, day: number): KeyDay {
    const name = `${day} ${keyId}`;
    const known = this.#days.get(name);
    if (known) return known;
    const counted = { keyId, day, requests: new Map(), records: 0, lastSeen: 0 };
    this.#days.set(name, counted);
    return counted;
  }

  /** Removes and returns at most `most` days. */
  take(most: number): KeyDay[] {
    const taken = [...this.#days].slice(0, most);
    for (const [name] of taken) this.#days.delete(name);
    return taken.map(([, day]) => day);
  }
}

/** Merges the days of one key from several sources, oldest first. */
export function summed(days: readonly KeyDay[]): KeyDay[] {
  const sum = new UsageCounter();
  for (const day of days) sum.add(day);
  return sum.days.sort((one, other) => one.day - other.day);
}
