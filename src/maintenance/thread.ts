/**
 * Starts and stops a thread of the maintenance (src/maintenance-worker.ts) when it has something to do. One prunes shards by
 * their retention; another builds derived tables that are incomplete, and then exits. A thread that has failed is started
 * again.
 */

import { setTimeout as wait } from "node:timers/promises";
import type { Awaitable } from "../domain/awaitable.ts";
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

export type MaintenanceTask = "prune" | "build";

/** What a thread needs to open the shards, and the list of redactions. */
export type MaintenanceSettings = Pick<Settings, "data" | "shards"> &
  Partial<Pick<Settings, "keys-database">>;

/** To the thread. "stop" is sent after the first one; the thread exits then. */
export type MaintenanceCommand =
  | {
      task: MaintenanceTask;
      settings: MaintenanceSettings;
      pace: Partial<MaintenancePace>;
    }
  | "stop";

/** How long to wait before a thread may be started again, and for one to stop. */
const PACE = { pauseMs: 60_000, stopMs: 10_000 };

export class MaintenanceThread {
  readonly #pace: typeof PACE;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(
    private readonly task: MaintenanceTask,
    /** Whether there is anything to do. */
    private readonly isNeeded: () => Awaitable<boolean>,
    private readonly open: () => Worker,
    private readonly settings: MaintenanceSettings,
    private readonly observe: Observe,
    private readonly pace: Partial<MaintenancePace> = {},
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
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      if ((await this.isNeeded()) && !signal.aborted) await this.#runThread();
      await wait(this.#pace.pauseMs, undefined, { signal }).catch(() => {});
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
    const { data, shards, "keys-database": database } = this.settings;
    const send = (command: MaintenanceCommand) => worker.postMessage(command);
    send({
      task: this.task,
      settings: { data, shards, "keys-database": database },
      pace: this.pace,
    });
    let deadline: Timer | undefined;
    signal.addEventListener("abort", () => {
      send("stop");
      deadline = setTimeout(() => worker.terminate(), this.#pace.stopMs);
    });
    const reason = await ended.promise;
    clearTimeout(deadline);
    if (signal.aborted || reason === undefined) return;
    const event = this.task === "prune" ? "shard-prune-failed" : "derived-build-failed";
    this.observe({ event, error: new Error(`the thread failed: ${reason}`) });
  }
}
