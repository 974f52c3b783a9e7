/**
 * Records usage and quotas: counts in memory and writes every two seconds, and once more at
 * shutdown. A crash loses at most two seconds. No request waits for a write.
 */

import type { Observe } from "../observe/events.ts";
import type { Clock } from "./clock.ts";
import { type CountedMatches, MemoryQuotas } from "./quota.ts";
import { dayOf, type UsageCount } from "./usage.ts";
import type { UsageStore } from "./usage-store.ts";

const WRITE_EVERY_MS = 2000;
/** Rows of usage, and of counted matches, per transaction. */
const BATCH = 500;

/** How long the clock must have shown a day before older data is deleted. */
const SETTLED_AFTER_MS = 600_000;

export class UsageRecorder {
  readonly quotas = new MemoryQuotas((counted) => this.#noteMatches(counted));
  /** Not written yet, by day, key and status. A key can have several days around midnight, and while writes fail. */
  readonly #counts = new Map<string, UsageCount>();
  /** Matches that are not written yet, by day and key. */
  readonly #matches = new Map<string, CountedMatches & { matches: number[] }>();
  /** How far the log of counted matches was read. */
  #position = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** The last requested write; undefined when it is done. */
  #writing: Promise<void> | undefined;
  /** The current day, and since when the clock has shown it. */
  #today = { day: -1, since: 0 };
  #prunedOn = -1;
  /** Whether the last write failed. */
  #isUnwritten = false;

  constructor(
    private readonly store: UsageStore,
    private readonly clock: Clock,
    private readonly observe: Observe,
  ) {}

  /** Loads what was counted. If the store cannot be used, that is tried again with each write. */
  async start(): Promise<void> {
    await this.write();
    this.#timer = setInterval(() => {
      // Writes do not pile up if the database is slow.
      if (!this.#writing) void this.write();
    }, WRITE_EVERY_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }

  note(keyId: string, status: number, records: number, nowMs: number): void {
    const day = dayOf(nowMs);
    this.#noteCount({ keyId, day, status, requests: 1, records, lastSeen: nowMs });
  }

  #noteCount(count: UsageCount): void {
    const name = `${count.day} ${count.keyId} ${count.status}`;
    const unwritten = this.#counts.get(name);
    if (!unwritten) {
      this.#counts.set(name, count);
      return;
    }
    unwritten.requests += count.requests;
    unwritten.records += count.records;
    unwritten.lastSeen = Math.max(unwritten.lastSeen, count.lastSeen);
  }

  /** Writes are serialised. Counts that cannot be written are kept for the next write. */
  write(): Promise<void> {
    const writing = (this.#writing ?? Promise.resolve()).then(() => this.#write());
    this.#writing = writing;
    return writing.finally(() => {
      if (this.#writing === writing) this.#writing = undefined;
    });
  }

  async #write(): Promise<void> {
    try {
      // First, because a full disk can still be read.
      await this.#followLog();
      while (await this.#writeBatch()) await new Promise(setImmediate);
      await this.#forgetOldDays();
    } catch (error) {
      const event = this.#isUnwritten ? "usage-write-still-failing" : "usage-write-failed";
      this.#isUnwritten = true;
      this.observe({ event, error });
      return;
    }
    if (this.#isUnwritten) this.observe({ event: "usage-write-recovered" });
    this.#isUnwritten = false;
  }

  #noteMatches({ keyId, day, matches }: CountedMatches): void {
    const name = `${day} ${keyId}`;
    const unwritten = this.#matches.get(name);
    if (unwritten) for (const match of matches) unwritten.matches.push(match);
    else this.#matches.set(name, { keyId, day, matches: [...matches] });
  }

  /** Adds what other processes have counted. Own entries change nothing. */
  async #followLog(): Promise<void> {
    for (let before = -1; before !== this.#position; ) {
      before = this.#position;
      const { counted, position } = await this.store.countedAfter(before);
      for (const one of counted) this.quotas.add(one);
      this.#position = position;
    }
  }

  /** Returns whether there may be more. */
  async #writeBatch(): Promise<boolean> {
    const counts = takeBatch(this.#counts);
    const counted = takeBatch(this.#matches);
    if (counts.length + counted.length === 0) return false;
    try {
      await this.store.add(counts, counted);
    } catch (error) {
      for (const count of counts) this.#noteCount(count);
      for (const one of counted) this.#noteMatches(one);
      throw error;
    }
    return true;
  }

  /** Deletes once a day, after the clock has shown that day for a while, in case it jumped. */
  async #forgetOldDays(): Promise<void> {
    const day = dayOf(this.clock.now());
    const at = this.clock.monotonic();
    if (day !== this.#today.day) this.#today = { day, since: at };
    if (day === this.#prunedOn || at - this.#today.since < SETTLED_AFTER_MS) return;
    await this.store.prune(day);
    this.quotas.forgetBefore(day - 1);
    this.#prunedOn = day;
  }
}

function takeBatch<T>(unwritten: Map<string, T>): T[] {
  const taken = [...unwritten].slice(0, BATCH);
  for (const [name] of taken) unwritten.delete(name);
  return taken.map(([, one]) => one);
}
