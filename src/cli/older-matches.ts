/** Starts and stops the thread that loads the older demo matches (demo-worker.ts), and prints its progress. */

import { note } from "./command.ts";
import {
  type DemoCommand,
  type DemoMessage,
  type DemoPlan,
  type DemoSettings,
  olderMatches,
  writePlan,
} from "./demo-load.ts";

/** How often progress is printed. */
const STEPS = 5;

export class OlderMatches {
  readonly #worker = new Worker(new URL("./demo-worker.ts", import.meta.url).href, { smol: true });
  readonly #ended = Promise.withResolvers<void>();
  readonly #total: number;
  #printed = 0;

  constructor(
    { data, shards, batch, "title-id": title, "max-record-bytes": longest }: DemoSettings,
    private readonly plan: DemoPlan,
  ) {
    this.#total = olderMatches(plan);
    this.#worker.onmessage = ({ data: message }: MessageEvent<DemoMessage>) => {
      if (typeof message === "number") this.#print(message);
      else if (message === "complete") this.#complete(data);
      else if (message !== "stopped") this.#fail(message.error);
      if (typeof message !== "number") this.#ended.resolve();
    };
    this.#worker.onerror = ({ message }) => {
      this.#fail(message);
      this.#ended.resolve();
    };
    const settings = { data, shards, batch, "title-id": title, "max-record-bytes": longest };
    this.#worker.postMessage({ settings, plan } satisfies DemoCommand);
  }

  /** Resolves when the current transaction has ended. */
  async stop(): Promise<void> {
    this.#worker.postMessage("stop" satisfies DemoCommand);
    await this.#ended.promise;
    this.#worker.terminate();
  }

  #print(stored: number): void {
    const step = Math.floor((stored / this.#total) * STEPS);
    if (step <= this.#printed || stored >= this.#total) return;
    this.#printed = step;
    note(`Loaded ${stored} of ${this.#total} older demo matches.`);
  }

  #complete(data: string): void {
    writePlan(data, { ...this.plan, complete: true });
    note(`All ${this.plan.matches} demo matches are loaded.`);
  }

  #fail(reason: string): void {
    note(`The older demo matches could not be loaded: ${reason}. Start it again to continue.`);
  }
}
