/**
 * In charge of one place in the crew: that a worker serves there, that another follows when it is lost,
 * and that a new one serves before an old one goes.
 */

import type { Observe } from "../observe/events.ts";
import { type Ending, inWords, type WorkerProcess } from "./process.ts";
import type { Tally } from "./tally.ts";

export interface PostOptions {
  start(number: number): WorkerProcess;
  /** How long callers are told to go when all ends, and when one worker makes room for another. */
  farewellMs: number;
  retirementMs: number;
  observe: Observe;
}

/** One that served for so long is replaced at once, however it ended. */
const HEALTHY_MS = 10_000;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 30_000;

export class Post {
  readonly #number: number;
  readonly #tally: Tally;
  readonly #options: PostOptions;
  /** Those that have not ended: the one that serves, one that begins, one that says farewell. */
  readonly #alive = new Set<WorkerProcess>();
  #serving: WorkerProcess | undefined;
  /** How often in a row a worker was lost soon after it had begun. */
  #failures = 0;
  #isStopping = false;
  #stopWaiting: (() => void) | undefined;

  constructor(number: number, tally: Tally, options: PostOptions) {
    this.#number = number;
    this.#tally = tally;
    this.#options = options;
  }

  get serving(): WorkerProcess | undefined {
    return this.#serving;
  }

  get retiring(): WorkerProcess[] {
    return [...this.#alive].filter((worker) => worker !== this.#serving && worker.isReady);
  }

  /** Starts a worker, which takes over once it serves. Its address, or how it ended before that. */
  async man(): Promise<string | Ending> {
    const worker = this.#options.start(this.#number);
    this.#alive.add(worker);
    const began = performance.now();
    void worker.ended.then((ending) => this.#afterEnd(worker, ending, performance.now() - began));
    const outcome = await worker.ready;
    if (typeof outcome !== "string") return outcome;
    this.#options.observe({ event: "worker-ready", worker: this.#number, pid: worker.pid });
    const old = this.#serving;
    this.#serving = worker;
    if (!this.#isStopping) old?.stop("SIGHUP", this.#options.retirementMs);
    return outcome;
  }

  /** A new worker in place of the old one: resolves when that is gone. If it cannot begin, the old one stays. */
  async relieve(): Promise<Ending | undefined> {
    const outcome = await this.man();
    if (typeof outcome !== "string") return outcome;
    await Promise.all(this.retiring.map((worker) => worker.ended));
    return undefined;
  }

  async stop(signal: string): Promise<void> {
    this.#isStopping = true;
    this.#stopWaiting?.();
    const alive = [...this.#alive];
    for (const worker of alive) worker.stop(signal, this.#options.farewellMs);
    await Promise.all(alive.map((worker) => worker.ended));
  }

  #afterEnd(worker: WorkerProcess, ending: Ending, lastedMs: number): void {
    this.#alive.delete(worker);
    this.#tally.keep(worker);
    if (worker !== this.#serving) return;
    this.#serving = undefined;
    if (lastedMs >= HEALTHY_MS) this.#failures = 0;
    if (!this.#isStopping) void this.#replace(worker.pid, ending);
  }

  async #replace(pid: number, ending: Ending): Promise<void> {
    let how = inWords(ending);
    for (;;) {
      const delayMs = this.#nextDelay();
      this.#options.observe({ event: "worker-lost", worker: this.#number, pid, how, delayMs });
      await this.#wait(delayMs);
      // It may be that a restart was quicker.
      if (this.#isStopping || this.#serving) return;
      const outcome = await this.man();
      if (typeof outcome === "string" || this.#isStopping) return;
      how = `${inWords(outcome)} before it served`;
    }
  }

  /** None at first, then longer and longer. */
  #nextDelay(): number {
    const failures = this.#failures;
    this.#failures += 1;
    return failures === 0 ? 0 : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1));
  }

  async #wait(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    this.#stopWaiting = resolve;
    await promise;
    clearTimeout(timer);
    this.#stopWaiting = undefined;
  }
}
