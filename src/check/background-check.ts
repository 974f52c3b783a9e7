/**
 * Checks all shards for damage that no request can see, again and again while the server runs. A damaged shard is
 * unavailable until a later pass finds nothing, or until it is replaced.
 */

import { setTimeout as wait } from "node:timers/promises";
import type { Observe } from "../observe/events.ts";
import type { Shards } from "../store/shards.ts";
import { type Checker, type DamagedData, StoreError } from "../store/store.ts";

export interface Pace {
  /** Before the first pass over all shards, and between two. */
  pauseMs: number;
  /** How long a step may keep the event loop, about. */
  stepMs: number;
  /** The same for steps that mostly wait for a database: a few statements, whatever the number of rows. */
  remoteStepMs: number;
  /** The share of a core that the check may use, here and in a database together. */
  share: number;
}

export interface Timer {
  monotonic(): number;
  /** Ends early when the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

const SYSTEM_TIMER: Timer = {
  monotonic: () => performance.now(),
  wait: (milliseconds, signal) => wait(milliseconds, undefined, { signal }).catch(() => {}),
};

const PACE: Pace = { pauseMs: 60_000, stepMs: 1.5, remoteStepMs: 50, share: 0.02 };

/** A pass ends when it has found this much: the shard has to be restored anyway. */
const MAX_DAMAGE = 20;

/**
 * The rows of a step. Rows of some tables take much longer than those of others, so each table begins with few. Fewer than
 * `least` would not be faster: a step has a cost of its own, and on a busy machine it also waits for the processor.
 */
const LOCAL_ROWS = { first: 32, least: 16 };
/** Several statements, each of which waits for the database. */
const REMOTE_ROWS = { first: 128, least: 128 };
const MAX_ROWS = 512;

export class BackgroundCheck {
  readonly #pace: Pace;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  /** Starts at once. */
  constructor(
    private readonly shards: Pick<Shards, "list" | "checker" | "setDamage">,
    private readonly observe: Observe,
    pace: Partial<Pace> = {},
    private readonly timer: Timer = SYSTEM_TIMER,
  ) {
    this.#pace = { ...PACE, ...pace };
    this.#running = this.#run();
  }

  /** Resolves when the current step has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (await this.#pause(this.#pace.pauseMs)) {
      try {
        for (const shard of await this.shards.list()) await this.#checkShard(shard);
      } catch (error) {
        this.observe({ event: "shard-check-failed", error });
      }
    }
  }

  async #checkShard(shard: string): Promise<void> {
    const checker = await this.#open(shard);
    if (!checker) return;
    try {
      await this.#pass(shard, checker);
    } catch (error) {
      this.observe({ event: "shard-check-failed", shard, error });
    } finally {
      await checker.close();
    }
  }

  /** A shard that cannot be opened is unavailable, and reported as such. */
  async #open(shard: string): Promise<Checker | undefined> {
    try {
      return await this.shards.checker(shard);
    } catch (error) {
      if (error instanceof StoreError) return undefined;
      throw error;
    }
  }

  async #pass(shard: string, checker: Checker): Promise<void> {
    const found: DamagedData[] = [];
    let rows = 0;
    const [rowLimits, stepMs] = checker.isRemote
      ? [REMOTE_ROWS, this.#pace.remoteStepMs]
      : [LOCAL_ROWS, this.#pace.stepMs];
    let limit = rowLimits.first;
    const began = this.timer.monotonic();
    for (;;) {
      const stepBegan = this.timer.monotonic();
      const step = await checker.check(limit);
      const took = this.timer.monotonic() - stepBegan;
      rows += step.rows;
      const damage = step.damage.slice(0, MAX_DAMAGE - found.length);
      found.push(...damage);
      // Before the end of the pass, which may take long.
      if (damage.length > 0) await this.#report(shard, damage, found);
      if (step.isLast || found.length >= MAX_DAMAGE) break;
      limit =
        step.rows < limit ? rowLimits.first : nextLimit(limit, rowLimits.least, took / stepMs);
      if (!(await this.#pause(took / this.#pace.share - took))) return;
    }
    if (found.length === 0) await this.shards.setDamage(shard, []);
    const milliseconds = Math.round(this.timer.monotonic() - began);
    this.observe({ event: "shard-checked", shard, rows, milliseconds, damaged: found.length });
  }

  async #report(shard: string, damage: readonly DamagedData[], all: readonly DamagedData[]) {
    for (const { table, record } of damage) {
      this.observe({ event: "damaged-data", shard, table, record });
    }
    await this.shards.setDamage(shard, all);
  }

  /** False when the check is to stop. */
  async #pause(milliseconds: number): Promise<boolean> {
    const { signal } = this.#stopping;
    await this.timer.wait(milliseconds, signal);
    return !signal.aborted;
  }
}

/** `load` is the time of the last step, as a part of the time that it may take. */
function nextLimit(limit: number, least: number, load: number): number {
  if (load > 1) return Math.max(least, limit / 2);
  return load < 0.5 ? Math.min(MAX_ROWS, limit * 2) : limit;
}
