/** Builds what shards of earlier versions lack, while the server runs. Runs in the thread. */

import { setTimeout as wait } from "node:timers/promises";
import { areInsightsBuilt, buildInsights } from "../ingest/build-insights.ts";
import type { Observe } from "../observe/events.ts";
import type { Shards } from "../store/shards.ts";
import { MigrationNeeded } from "../store/store.ts";
import type { MaintenancePace } from "./thread.ts";

/** Between two rounds: shards may be migrated or restored meanwhile. */
const PAUSE_MS = 60_000;

/** Others write three quarters of the time. */
const REST = 3;

export class InsightsBuild {
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  /** Starts at once. */
  constructor(
    private readonly shards: Pick<Shards, "list" | "existingWriter">,
    private readonly observe: Observe,
    { pauseMs = PAUSE_MS }: Partial<MaintenancePace> = {},
  ) {
    this.#running = this.#run(pauseMs);
  }

  /** Resolves when the current transaction has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(pauseMs: number): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      for (const shard of await this.#list()) if (!signal.aborted) await this.#tryBuild(shard);
      await wait(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  async #list(): Promise<string[]> {
    try {
      return await this.shards.list();
    } catch (error) {
      this.observe({ event: "insights-failed", error });
      return [];
    }
  }

  async #tryBuild(shard: string): Promise<void> {
    try {
      await this.#build(shard);
    } catch (error) {
      // Only `matchbook migrate` migrates shards in PostgreSQL.
      if (error instanceof MigrationNeeded) return;
      this.observe({ event: "insights-failed", shard, error });
    }
  }

  async #build(shard: string): Promise<void> {
    const writer = await this.shards.existingWriter(shard);
    if (!writer || (await areInsightsBuilt(writer))) return;
    this.observe({ event: "insights-building", shard });
    const began = performance.now();
    const { signal } = this.#stopping;
    const built = await buildInsights(writer, { rest: REST, signal });
    if (signal.aborted) return;
    const milliseconds = Math.round(performance.now() - began);
    this.observe({ event: "insights-built", shard, ...built, milliseconds });
  }
}
