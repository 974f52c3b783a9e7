/** Starts and stops the thread that prunes shards by their retention (src/maintenance-worker.ts), if there are any to prune. */

import type { Event, Observe } from "../observe/events.ts";
import type { Settings } from "../settings/definitions.ts";

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

export class MaintenanceThread {
  #worker: Worker | undefined;
  readonly #ended = Promise.withResolvers<void>();

  constructor(
    private readonly open: () => Worker,
    private readonly settings: Pick<Settings, "data" | "shards">,
    private readonly observe: Observe,
    private readonly pace: Partial<MaintenancePace> = {},
  ) {
    const hasRetention = settings.shards.some(({ retentionDays }) => retentionDays !== undefined);
    if (hasRetention) this.#start();
  }

  /** Resolves when the current transaction has ended. */
  async stop(): Promise<void> {
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
}
