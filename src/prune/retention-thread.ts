/** Starts and stops the thread that prunes shards by their retention (src/retention-worker.ts). */

import type { Event, Observe } from "../observe/events.ts";
import type { Settings } from "../settings/definitions.ts";
import type { RetentionPace } from "./retention.ts";

/** To the thread. "stop" is sent after the first one. */
export type RetentionCommand =
  | { settings: Pick<Settings, "data" | "shards">; pace: Partial<RetentionPace> }
  | "stop";

/** From the thread. */
export type RetentionMessage = Event | "stopped";

export class RetentionThread {
  readonly #worker: Worker | undefined;
  readonly #ended = Promise.withResolvers<void>();

  /** Starts no thread if no shard has a retention. */
  constructor(
    open: () => Worker,
    { data, shards }: Settings,
    observe: Observe,
    pace: Partial<RetentionPace> = {},
  ) {
    if (shards.every(({ retentionDays }) => retentionDays === undefined)) return;
    const worker = open();
    this.#worker = worker;
    worker.onmessage = ({ data: message }: MessageEvent<RetentionMessage>) => {
      if (message === "stopped") this.#ended.resolve();
      else observe(message);
    };
    worker.onerror = ({ message }) => {
      observe({ event: "shard-prune-failed", error: new Error(`the thread failed: ${message}`) });
      this.#ended.resolve();
    };
    worker.postMessage({ settings: { data, shards }, pace } satisfies RetentionCommand);
  }

  /** Resolves when the current transaction has ended. */
  async stop(): Promise<void> {
    if (!this.#worker) return;
    this.#worker.postMessage("stop" satisfies RetentionCommand);
    await this.#ended.promise;
    this.#worker.terminate();
  }
}
