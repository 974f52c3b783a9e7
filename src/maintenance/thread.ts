/**
 * Starts a thread of the maintenance (src/maintenance-worker.ts) when it has something to do: it prunes shards by their
 * retention, builds derived tables that are incomplete, or verifies shards, and exits.
 */

import { setTimeout as wait } from "node:timers/promises";
import type { Event, Observe } from "../observe/events.ts";
import type { Settings } from "../settings/definitions.ts";

export interface MaintenancePace {
  /** Before the first round. */
  firstMs: number;
  /** Between two rounds. */
  pauseMs: number;
  /** How long the current transaction may take after `stop()`; then the thread is ended, which undoes it. */
  stopMs: number;
}

export type MaintenanceTask = "prune" | "build" | "verify";

/** What a thread needs to open the shards, and the list of redactions. */
export type MaintenanceSettings = Pick<Settings, "data" | "shards"> &
  Partial<Pick<Settings, "keys-database" | "verify-hours">>;

/** To the thread. "stop" is sent after the first one; the thread exits then. */
export type MaintenanceCommand =
  | {
      task: MaintenanceTask;
      settings: MaintenanceSettings;
    }
  | "stop";

/**
 * How long to wait before the first thread is started, before it may be started again, and for one to stop. A server that
 * starts has better things to do than to verify.
 */
const PACES = {
  prune: { firstMs: 60_000, pauseMs: 3_600_000, stopMs: 10_000 },
  build: { firstMs: 0, pauseMs: 60_000, stopMs: 10_000 },
  verify: { firstMs: 60_000, pauseMs: 3_600_000, stopMs: 10_000 },
};

const FAILURES = {
  prune: "shard-prune-failed",
  build: "derived-build-failed",
  verify: "verify-failed",
} as const;

export class MaintenanceThread {
  readonly #pace: MaintenancePace;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(
    private readonly task: MaintenanceTask,
    /** Whether there is anything to do. */
    private readonly isNeeded: () => Promise<boolean>,
    private readonly open: () => Worker,
    private readonly settings: MaintenanceSettings,
    private readonly observe: Observe,
    pace: Partial<MaintenancePace> = {},
  ) {
    this.#pace = { ...PACES[task], ...pace };
    this.#running = this.#run();
  }

  /** Resolves when the current transaction has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { firstMs, pauseMs } = this.#pace;
    const pause = (milliseconds: number) =>
      wait(milliseconds, undefined, { signal }).catch(() => {});
    if (firstMs > 0) await pause(firstMs);
    while (!signal.aborted) {
      // If the data folder cannot be read, requests report it.
      const isNeeded = await this.isNeeded().catch(() => false);
      if (isNeeded && !signal.aborted) await this.#runThread();
      await pause(pauseMs);
    }
  }

  /** Resolves when the thread has ended. */
  async #runThread(): Promise<void> {
    const { signal } = this.#stopping;
    const ended = Promise.withResolvers<string | undefined>();
    const worker = this.open();
    worker.onmessage = ({ data: event }: MessageEvent<Event>) => this.observe(event);
    worker.onerror = ({ message }) => ended.resolve(message);
    // Also after an error.
    worker.addEventListener("close", (event) => {
      const { code } = event as CloseEvent;
      ended.resolve(code === 0 ? undefined : `it exited with code ${code}`);
    });
    const { data, shards, "keys-database": database, "verify-hours": hours } = this.settings;
    const send = (command: MaintenanceCommand) => worker.postMessage(command);
    send({
      task: this.task,
      settings: { data, shards, "keys-database": database, "verify-hours": hours },
    });
    let deadline: Timer | undefined;
    signal.addEventListener("abort", () => {
      send("stop");
      deadline = setTimeout(() => worker.terminate(), this.#pace.stopMs);
    });
    const reason = await ended.promise;
    clearTimeout(deadline);
    if (signal.aborted || reason === undefined) return;
    this.observe({ event: FAILURES[this.task], error: new Error(`the thread failed: ${reason}`) });
  }
}
