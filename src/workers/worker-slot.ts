/** One slot of the worker pool: keeps a worker serving, and starts the next before it stops the old one. */

import type { Observe } from "../observe/events.ts";
import { describeExit, REPLACED, type WorkerExit, type WorkerProcess } from "./worker-process.ts";

export interface SlotOptions {
  start(number: number): WorkerProcess;
  /** How long connections are drained when all workers stop, and when one is replaced. */
  drainMs: number;
  replaceDrainMs: number;
  observe: Observe;
  /** Called once per worker, when it has exited. */
  onExit(worker: WorkerProcess): void;
}

/** A worker that ran this long is replaced at once, however it exited. */
const HEALTHY_MS = 10_000;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 30_000;

export class WorkerSlot {
  /** Workers that have not exited: serving, starting or draining. */
  readonly #alive = new Set<WorkerProcess>();
  serving: WorkerProcess | undefined;
  /** Consecutive workers that exited soon after their start. */
  #failures = 0;
  #isStopping = false;

  constructor(
    private readonly number: number,
    private readonly options: SlotOptions,
  ) {}

  get draining(): WorkerProcess[] {
    return [...this.#alive].filter((worker) => worker !== this.serving && worker.isReady);
  }

  /** Starts a worker, which takes over once it is ready. Resolves with its URL, or with how it exited before. */
  async start(): Promise<string | WorkerExit> {
    const { start, observe, replaceDrainMs } = this.options;
    const worker = start(this.number);
    this.#alive.add(worker);
    const startedAt = performance.now();
    void worker.exited.then((exit) => this.#onExit(worker, exit, performance.now() - startedAt));
    const outcome = await worker.ready;
    if (typeof outcome !== "string") return outcome;
    observe({ event: "worker-ready", worker: this.number, pid: worker.pid });
    const old = this.serving;
    this.serving = worker;
    if (!this.#isStopping) old?.stop(REPLACED, replaceDrainMs);
    return outcome;
  }

  /**
   * Replaces the worker, and resolves when the old one has exited. If the new one cannot start, the old one
   * stays, and this resolves with how the new one exited.
   */
  async replace(): Promise<WorkerExit | undefined> {
    const outcome = await this.start();
    if (typeof outcome !== "string") return outcome;
    await Promise.all(this.draining.map((worker) => worker.exited));
    return undefined;
  }

  async stop(signal: string): Promise<void> {
    this.#isStopping = true;
    const alive = [...this.#alive];
    for (const worker of alive) worker.stop(signal, this.options.drainMs);
    await Promise.all(alive.map((worker) => worker.exited));
  }

  #onExit(worker: WorkerProcess, exit: WorkerExit, lifetimeMs: number): void {
    this.#alive.delete(worker);
    this.options.onExit(worker);
    if (worker !== this.serving) return;
    this.serving = undefined;
    if (lifetimeMs >= HEALTHY_MS) this.#failures = 0;
    if (!this.#isStopping) void this.#restart(worker.pid, exit);
  }

  async #restart(pid: number, exit: WorkerExit): Promise<void> {
    let how = describeExit(exit);
    for (;;) {
      const delayMs = this.#nextDelay();
      this.options.observe({ event: "worker-exited", worker: this.number, pid, how, delayMs });
      // A process that stops meanwhile does not wait for it.
      await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
      // A restart by SIGHUP may have been faster.
      if (this.#isStopping || this.serving) return;
      const outcome = await this.start();
      if (typeof outcome === "string" || this.#isStopping) return;
      how = `${describeExit(outcome)} before it was ready`;
    }
  }

  /** Exponential backoff; the first restart is immediate. */
  #nextDelay(): number {
    const failures = this.#failures;
    this.#failures += 1;
    return failures === 0 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1));
  }
}
