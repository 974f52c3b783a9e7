/**
 * Enforces the daily match quota: how many distinct matches each key may read per UTC day. The
 * response that crosses the quota is served whole; after that, only matches that were counted on
 * that day are served.
 */

import type { Awaitable } from "../domain/awaitable.ts";
import { dayOf } from "./usage.ts";

/** Matches are given by their hashes (`matchHash()`). The counts may be remote, so callers await. */
export interface Quotas {
  /** Counts matches before they are served. False: they exceed the quota, and none was counted. */
  consume(
    keyId: string,
    matches: readonly number[],
    quota: number,
    nowMs: number,
  ): Awaitable<boolean>;
  /** Distinct matches counted on this day. */
  count(keyId: string, nowMs: number): Awaitable<number>;
}

/** Matches that were counted for a key on a day. */
export interface CountedMatches {
  keyId: string;
  day: number;
  matches: readonly number[];
}

/** How many more matches the key may read today; null: unlimited. */
export const matchesLeft = (quota: number, matches: number): number | null =>
  quota === 0 ? null : Math.max(0, quota - matches);

/**
 * Quotas in this process. Each day has its own counts: a request that began before midnight counts
 * for the day on which it began.
 */
export class MemoryQuotas implements Quotas {
  /** By day and key. */
  readonly #counts = new Map<string, { day: number; matches: MatchSet }>();

  /**
   * `onCounted` is called with what `consume` adds. Beyond `size` sets, the least recently used ones
   * are dropped.
   */
  constructor(
    private readonly onCounted: (counted: CountedMatches) => void = () => {},
    private readonly size = Number.POSITIVE_INFINITY,
  ) {}

  consume(keyId: string, matches: readonly number[], quota: number, nowMs: number): boolean {
    const day = dayOf(nowMs);
    const counted = this.#matchesOf(keyId, day);
    const added = matches.filter((match) => !counted.has(match));
    if (added.length === 0) return true;
    if (counted.size >= quota) return false;
    for (const match of added) counted.add(match);
    this.onCounted({ keyId, day, matches: added });
    return true;
  }

  count(keyId: string, nowMs: number): number {
    return this.#counts.get(`${dayOf(nowMs)} ${keyId}`)?.matches.size ?? 0;
  }

  /** Adds what another process counted. */
  add({ keyId, day, matches }: CountedMatches): void {
    const counted = this.#matchesOf(keyId, day);
    for (const match of matches) counted.add(match);
  }

  forgetBefore(day: number): void {
    for (const [name, count] of this.#counts) if (count.day < day) this.#counts.delete(name);
  }

  #matchesOf(keyId: string, day: number): MatchSet {
    const name = `${day} ${keyId}`;
    const known = this.#counts.get(name);
    const count = known ?? { day, matches: new MatchSet() };
    // The order of a map is that of insertion.
    if (known) this.#counts.delete(name);
    else if (this.#counts.size >= this.size) this.#counts.delete(this.#counts.keys().next().value!);
    this.#counts.set(name, count);
    return count.matches;
  }
}

/** No hash is negative. */
const EMPTY = -1;
const FIRST_SLOTS = 16;

/** An open-addressing hash table of 11 to 21 bytes per match. A `Set` takes several times as much. */
class MatchSet {
  #slots = new Float64Array(FIRST_SLOTS).fill(EMPTY);
  size = 0;

  has(match: number): boolean {
    return this.#slots[this.#slotOf(match)] === match;
  }

  add(match: number): void {
    const slot = this.#slotOf(match);
    if (this.#slots[slot] === match) return;
    this.#slots[slot] = match;
    this.size += 1;
    if (4 * this.size > 3 * this.#slots.length) this.#grow();
  }

  #grow(): void {
    const matches = this.#slots.filter((match) => match !== EMPTY);
    this.#slots = new Float64Array(2 * this.#slots.length).fill(EMPTY);
    for (const match of matches) this.#slots[this.#slotOf(match)] = match;
  }

  /** The slot of the match, or the empty one where it belongs. */
  #slotOf(match: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = match & mask;
    while (slots[slot] !== match && slots[slot] !== EMPTY) slot = (slot + 1) & mask;
    return slot;
  }
}
