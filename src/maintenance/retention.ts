/** Prunes shards that have a retention, again and again while the server runs. Runs in its own thread. */

import { setTimeout as wait } from "node:timers/promises";
import type { Observe } from "../observe/events.ts";
import { prune } from "../prune/prune.ts";
import { DAY_MS } from "../settings/parsers.ts";
import type { Shards } from "../store/shards.ts";
import { StoreError } from "../store/store.ts";
import type { MaintenancePace } from "./thread.ts";

/** How many days each shard keeps its records. */
export type Retentions = ReadonlyMap<string, number>;

/** The first also after a round that failed. */
const PACE = { firstMs: 60_000, pauseMs: 3_600_000 };

/** Small and rare, so that readers and other writers hardly notice. */
const STEP = 50;
const REST = 9;

export class Retention {
  readonly #pace: typeof PACE;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  /** Starts at once. */
  constructor(
    private readonly shards: Pick<Shards, "reader" | "existingWriter">,
    private readonly retentions: Retentions,
    private readonly observe: Observe,
    private readonly now: () => number = Date.now,
    pace: Partial<MaintenancePace> = {},
  ) {
    this.#pace = { ...PACE, ...pace };
    this.#running = this.#run();
  }

  /** Resolves when the current transaction has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { firstMs, pauseMs } = this.#pace;
    let isDone = false;
    while (await this.#pause(isDone ? pauseMs : firstMs)) {
      isDone = true;
      for (const [shard, days] of this.retentions) {
        isDone = (await this.#tryPrune(shard, days)) && isDone;
      }
    }
  }

  async #tryPrune(shard: string, days: number): Promise<boolean> {
    try {
      await this.#prune(shard, days);
      return true;
    } catch (error) {
      this.observe({ event: "shard-prune-failed", shard, error });
      return false;
    }
  }

  async #prune(shard: string, days: number): Promise<void> {
    const newest = (await (await this.shards.reader(shard))?.summary())?.newestMatch;
    const writer = newest === undefined ? undefined : await this.shards.existingWriter(shard);
    if (newest === undefined || !writer) return;
    const before = this.now() - days * DAY_MS;
    // A clock that is years ahead must not empty the shard.
    if (newest < before) {
      throw new StoreError(
        `every match is older than its retention of ${days} days: check the clock; if it is right, run 'matchbook prune ${shard} --older-than ${days}d'`,
      );
    }
    const began = performance.now();
    const { signal } = this.#stopping;
    const { served, withheld } = await prune(writer, before, { step: STEP, rest: REST, signal });
    const milliseconds = Math.round(performance.now() - began);
    if (served + withheld === 0) return;
    this.observe({ event: "shard-pruned", shard, before, served, withheld, milliseconds });
  }

  /** False when it is to stop. */
  async #pause(milliseconds: number): Promise<boolean> {
    const { signal } = this.#stopping;
    await wait(milliseconds, undefined, { signal }).catch(() => {});
    return !signal.aborted;
  }
}
