/** The worker pool: starts, replaces and stops the workers, and collects their metrics. */

import { labelled, type MetricFamily } from "../observe/prometheus.ts";
import { describeExit, type WorkerExit } from "./worker-process.ts";
import { type SlotOptions, WorkerSlot } from "./worker-slot.ts";

/** A worker exited before all of them were ready. Unless it was killed, it has logged why. */
export class StartFailed extends Error {
  override name = "StartFailed";
  constructor(
    worker: number,
    readonly exit: WorkerExit,
  ) {
    super(`worker ${worker} exited with ${describeExit(exit)} before it was ready`);
  }
}

export class WorkerPool {
  readonly #slots: readonly WorkerSlot[];
  #isStopping = false;
  #restarting: Promise<void> | undefined;
  #restartAgain = false;

  constructor(
    workers: number,
    private readonly options: SlotOptions,
  ) {
    this.#slots = Array.from({ length: workers }, (_, index) => new WorkerSlot(index + 1, options));
  }

  /**
   * Resolves with the URL when all workers serve. The first one starts alone, so that a problem with the
   * settings or a store is reported once. Throws StartFailed, and then no worker is left running.
   */
  async start(): Promise<string> {
    try {
      const [url] = await this.#start(0, 1);
      await this.#start(1);
      return url!;
    } catch (error) {
      await this.stop("failed start");
      throw error;
    }
  }

  /** Replaces the workers one after another; again if called meanwhile. */
  restart(): void {
    this.#restartAgain = true;
    this.#restarting ??= this.#restart().finally(() => {
      this.#restarting = undefined;
    });
  }

  async stop(signal: string): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#slots.map((slot) => slot.stop(signal)));
  }

  /** Resolves when every worker has reloaded the keys. */
  async reloadKeys(): Promise<void> {
    const workers = this.#slots.flatMap(({ serving, draining }) => [serving ?? [], draining]);
    await Promise.all(workers.flat().map((worker) => worker.reloadKeys()));
  }

  /** The metrics of the workers that serve, labelled by their numbers. */
  async metrics(): Promise<MetricFamily[]> {
    const families = this.#slots.map(async ({ serving }) =>
      serving ? labelled(await serving.metrics(), { worker: String(serving.number) }) : [],
    );
    return (await Promise.all(families)).flat();
  }

  async #start(from: number, to?: number): Promise<string[]> {
    const slots = this.#slots.slice(from, to);
    const outcomes = await Promise.all(slots.map((slot) => slot.start()));
    return outcomes.map((outcome, index) => {
      if (typeof outcome !== "string") throw new StartFailed(from + index + 1, outcome);
      return outcome;
    });
  }

  async #restart(): Promise<void> {
    while (this.#restartAgain && !this.#isStopping) {
      this.#restartAgain = false;
      this.options.observe({ event: "restarting", workers: this.#slots.length });
      if ((await this.#replaceAll()) && !this.#isStopping)
        this.options.observe({ event: "restarted", workers: this.#slots.length });
    }
  }

  /** One after the other, until one fails. */
  async #replaceAll(): Promise<boolean> {
    for (const [index, slot] of this.#slots.entries()) {
      const exit = this.#isStopping ? undefined : await slot.replace();
      if (exit === undefined) continue;
      this.options.observe({ event: "restart-failed", worker: index + 1, how: describeExit(exit) });
      return false;
    }
    return true;
  }
}
