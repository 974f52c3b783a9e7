/**
 * Starts and stops the thread that prunes shards by their retention and builds insights (src/maintenance-worker.ts). It is
 * started when there is something to do, and again after it has failed.
 */

import { setTimeout as wait } from "node:timers/promises";
import type { Event, Observe } from "../observe/events.ts";
import type { Settings } from "../settings/definitions.ts";
import type { ReadableShards } from "../store/shards.ts";
import { StoreError } from "../store/store.ts";

export interface MaintenancePace {
  /** Before the first round. */
  firstMs: number;
  /** Between two rounds. */
  pauseMs: number;
  /** How long the current transaction may take after `stop()`; then the thread is ended, which undoes it. */
  stopMs: number;
}

/** To the thread. "stop" is sent after the first one; the thread exits then. */
export type MaintenanceCommand =
  | { settings: Pick<Settings, "data" | "shards">; pace: Partial<MaintenancePace> }
  | "stop";

/** How often to look for shards that lack insights, and to start a thread that has failed. */
const PACE: MaintenancePace = { firstMs: 5000, pauseMs: 60_000, stopMs: 10_000 };

export class MaintenanceThread {
  readonly #pace: MaintenancePace;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(
    private readonly open: () => Worker,
    private readonly settings: Pick<Settings, "data" | "shards">,
    private readonly shards: Pick<ReadableShards, "list" | "reader">,
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
    const hasRetention = this.settings.shards.some((shard) => shard.retentionDays !== undefined);
    let pause = hasRetention ? 0 : this.#pace.firstMs;
    while (!signal.aborted) {
      await wait(pause, undefined, { signal }).catch(() => {});
      pause = this.#pace.pauseMs;
      const isNeeded = !signal.aborted && (hasRetention || (await this.#lacksInsights()));
      if (isNeeded && !signal.aborted) await this.#runThread();
    }
  }

  /** Resolves when the thread has ended. */
  async #runThread(): Promise<void> {
    const { signal } = this.#stopping;
    const ended = Promise.withResolvers<string>();
    const worker = this.open();
    worker.onmessage = ({ data: event }: MessageEvent<Event>) => this.observe(event);
    worker.onerror = ({ message }) => ended.resolve(message);
    // Also after an error.
    worker.addEventListener("close", (event) =>
      ended.resolve(`it exited with code ${(event as CloseEvent).code}`),
    );
    const { data, shards } = this.settings;
    const send = (command: MaintenanceCommand) => worker.postMessage(command);
    send({ settings: { data, shards }, pace: this.pace });
    let deadline: Timer | undefined;
    signal.addEventListener("abort", () => {
      send("stop");
      deadline = setTimeout(() => worker.terminate(), this.#pace.stopMs);
    });
    const reason = await ended.promise;
    clearTimeout(deadline);
    if (signal.aborted) return;
    this.observe({ event: "shard-prune-failed", error: new Error(`the thread failed: ${reason}`) });
  }

  async #lacksInsights(): Promise<boolean> {
    const noActors = { gameModes: [], patchVersions: undefined, limit: 1 };
    const part = { playerIds: [] };
    const noPlayers = { board: "win-streak", period: "all", depth: 1, part } as const;
    try {
      for (const shard of await this.shards.list()) {
        const reader = await this.shards.reader(shard);
        if (!reader) continue;
        const isBuilt =
          (await reader.actorStats(noActors)) && (await reader.leaderboard(noPlayers));
        if (!isBuilt) return true;
      }
    } catch (error) {
      // A shard that cannot be read is reported as such.
      if (!(error instanceof StoreError)) this.observe({ event: "insights-failed", error });
    }
    return false;
  }
}
