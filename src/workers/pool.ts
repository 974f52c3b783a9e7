/** The worker pool: starts, replaces and stops the workers, and adds up their metrics. */

import { labelled, type MetricFamily, merged } from "../observe/prometheus.ts";
import { describeExit, type WorkerExit, type WorkerProcess } from "./worker-process.ts";
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
  /** The totals of workers that have exited: counters must never decrease. */
  #countedBefore: MetricFamily[] = [];
  #isStopping = false;
  #restarting: Promise<void> | undefined;
  #restartAgain = false;

  constructor(
    workers: number,
    private readonly options: Omit<SlotOptions, "onExit">,
  ) {
    const slotOptions = { ...options, onExit: (worker: WorkerProcess) => this.#keepTotals(worker) };
    this.#slots = Array.from(
      { length: workers },
      (_, index) => new WorkerSlot(index + 1, slotOptions),
    );
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

  /** The metrics of all workers; process metrics only of workers that serve. */
  async metrics(): Promise<MetricFamily[]> {
    const { serving, draining } = this.#workers();
    const [current] = await Promise.all([
      Promise.all(serving.map((worker) => worker.metrics())),
      Promise.all(draining.map((worker) => worker.metrics())),
    ]);
    // One that has exited meanwhile is in the totals already.
    const now = this.#workers();
    const service = [...now.serving, ...now.draining].flatMap(({ lastMetrics }) => lastMetrics);
    const processes = serving.flatMap(({ number }, index) =>
      labelled(current[index]?.process ?? [], { worker: String(number) }),
    );
    return [...service, ...this.#countedBefore, ...processes];
  }

  #workers() {
    return {
      serving: this.#slots.flatMap((slot) => slot.serving ?? []),
      draining: this.#slots.flatMap((slot) => slot.draining),
    };
  }

  /** For a worker that was killed, the last totals it reported. */
  #keepTotals({ lastMetrics }: WorkerProcess): void {
    const totals = lastMetrics.filter(({ type }) => type !== "gauge");
    this.#countedBefore = merged([...this.#countedBefore, ...totals]);
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
