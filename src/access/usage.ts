/**
 * In charge of how much each key is used: requests by status and records served, by UTC day. Counted
 * in memory; the Ledger has it written down every two seconds.
 */

import { dayOf } from "./day.ts";

/** What was counted for one key on one day. */
export interface KeyDay {
  keyId: string;
  day: number;
  /** Requests by HTTP status. */
  requests: Map<number, number>;
  /** Match and player records in the bodies of replies. */
  records: number;
  /** Milliseconds since the epoch. */
  lastSeen: number;
}

/** The requests of a key with one status on one day, as they are kept. */
export interface RequestCount {
  keyId: string;
  day: number;
  status: number;
  count: number;
}

/** Days as they are kept, with the requests that belong to them. */
export function keyDays(
  days: readonly Omit<KeyDay, "requests">[],
  requests: readonly RequestCount[],
): KeyDay[] {
  const whole = days.map((day) => ({ ...day, requests: new Map<number, number>() }));
  const byKey = new Map(whole.map((day) => [`${day.keyId} ${day.day}`, day]));
  for (const { keyId, day, status, count } of requests) {
    byKey.get(`${keyId} ${day}`)?.requests.set(status, count);
  }
  return whole;
}

export class UsageCounter {
  /** By key. There are two days around midnight, and more while they cannot be written down. */
  #days = new Map<string, KeyDay[]>();

  note(keyId: string, status: number, records: number, nowMs: number): void {
    const counted = this.#dayOf(keyId, dayOf(nowMs), nowMs);
    counted.requests.set(status, (counted.requests.get(status) ?? 0) + 1);
    counted.records += records;
    counted.lastSeen = nowMs;
  }

  /** What was counted since it was last taken. */
  take(): KeyDay[] {
    const taken = [...this.#days.values()].flat();
    this.#days = new Map();
    return taken;
  }

  /** Takes back what could not be written down. */
  giveBack(days: readonly KeyDay[]): void {
    for (const { keyId, day, requests, records, lastSeen } of days) {
      const counted = this.#dayOf(keyId, day, lastSeen);
      for (const [status, count] of requests) {
        counted.requests.set(status, (counted.requests.get(status) ?? 0) + count);
      }
      counted.records += records;
    }
  }

  #dayOf(keyId: string, day: number, lastSeen: number): KeyDay {
    const days = this.#days.get(keyId);
    const known = days?.find((one) => one.day === day);
    if (known) return known;
    const counted = { keyId, day, requests: new Map(), records: 0, lastSeen };
    if (days) days.push(counted);
    else this.#days.set(keyId, [counted]);
    return counted;
  }
}
