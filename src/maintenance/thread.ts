/**
 * Starts and stops the thread that prunes shards by their retention and builds insights (src/maintenance-worker.ts). It is
 * started when there is something to do.
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
}

/** To the thread. "stop" is sent after the first one. */
export type MaintenanceCommand =
  | { settings: Pick<Settings, "data" | "shards">; pace: Partial<MaintenancePace> }
  | "stop";

/** From the thread. */
export type MaintenanceMessage = Event | "stopped";

/** How often to look for shards that lack insights. */
const PACE: MaintenancePace = { firstMs: 5000, pauseMs: 60_000 };

export class MaintenanceThread {
  #worker: Worker | undefined;
  readonly #ended = Promise.withResolvers<void>();
  readonly #stopping = new AbortController();
  readonly #looking: Promise<void>;

  constructor(
    private readonly open: () => Worker,
    private readonly settings: Pick<Settings, "data" | "shards">,
    private readonly shards: Pick<ReadableShards, "list" | "reader">,
    private readonly observe: Observe,
    private readonly pace: Partial<MaintenancePace> = {},
  ) {
    const hasRetention = settings.shards.some(({ retentionDays }) => retentionDays !== undefined);
    if (hasRetention) this.#start();
    this.#looking = this.#look();
  }

  /** Resolves when the current transaction has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
    if (!this.#worker) return;
    this.#worker.postMessage("stop" satisfies MaintenanceCommand);
    await this.#ended.promise;
    this.#worker.terminate();
  }

  #start(): void {
    const worker = this.open();
    this.#worker = worker;
    worker.onmessage = ({ data: message }: MessageEvent<MaintenanceMessage>) => {
      if (message === "stopped") this.#ended.resolve();
      else this.observe(message);
    };
    worker.onerror = ({ message }) => {
      const error = new Error(`the thread failed: ${message}`);
      this.observe({ event: "shard-prune-failed", error });
      this.#ended.resolve();
    };
    const { data, shards } = this.settings;
    const command: MaintenanceCommand = { settings: { data, shards }, pace: this.pace };
    worker.postMessage(command);
  }

  async #look(): Promise<void> {
    const { firstMs, pauseMs } = { ...PACE, ...this.pace };
    const { signal } = this.#stopping;
    for (let pause = firstMs; !this.#worker; pause = pauseMs) {
      await wait(pause, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      if ((await this.#lacksInsights()) && !signal.aborted) this.#start();
    }
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
