/** In charge of one worker as its supervisor sees it: a process that is talked to, and ends one day. */

import type { Family } from "../observe/metric.ts";
import type { Counted, FromWorker, Orders, ToWorker } from "./messages.ts";

/** Tells a process that it is a worker. It is no setting, and so begins with another word. */
const MARK = "WORKER_OF_MATCHBOOK";

export const isWorker = (): boolean => process.env[MARK] !== undefined;

/** Where a worker finds the shared memory that it inherits: after standard error. */
export const INHERITED = 3;

/** How long a worker may take to answer. */
const ANSWER_MS = 2000;

export interface Ending {
  exitCode: number | null;
  /** By its name; by its number if it has none. */
  signal: string | number | null;
}

export const inWords = ({ exitCode, signal }: Ending): string =>
  signal === null ? `exit code ${exitCode}` : String(signal);

type Answer = Extract<FromWorker, { ask: number }>;

export class WorkerProcess {
  readonly number: number;
  readonly pid: number;
  /** Its address once it serves; how it ended if that comes first. */
  readonly ready: Promise<string | Ending>;
  readonly ended: Promise<Ending>;
  /** The metrics of the service as it told them last. */
  lastCount: Family[] = [];
  readonly #orders: Orders;
  readonly #child: Bun.Subprocess;
  readonly #becomesReady = Promise.withResolvers<string | Ending>();
  readonly #waiting = new Map<number, (answer: Answer | undefined) => void>();
  #asked = 0;
  #isThere = false;
  #isReady = false;
  #stop: ToWorker | undefined;

  constructor(command: readonly string[], memory: number, orders: Orders) {
    this.number = orders.number;
    this.#orders = orders;
    this.ready = this.#becomesReady.promise;
    this.#child = Bun.spawn([...command], {
      stdio: ["ignore", "ignore", "inherit", memory],
      env: { ...process.env, [MARK]: String(orders.number) },
      ipc: (message: FromWorker) => this.#hear(message),
    });
    this.pid = this.#child.pid;
    this.ended = this.#child.exited.then(() => {
      const ending: Ending = { exitCode: this.#child.exitCode, signal: this.#child.signalCode };
      this.#becomesReady.resolve(ending);
      for (const settle of this.#waiting.values()) settle(undefined);
      return ending;
    });
  }

  /** Whether it serves, or has done so. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Tells it to end after callers have been told to go for so long. */
  stop(signal: string, farewellMs: number): void {
    this.#stop = { say: "stop", signal, farewellMs };
    if (this.#isThere) this.#send(this.#stop);
  }

  /** Resolves when it has looked, or will not answer. */
  async lookAtKeys(): Promise<void> {
    await this.#ask("look-at-keys");
  }

  /** Undefined when it does not answer. */
  async count(): Promise<Counted | undefined> {
    const answer = await this.#ask("count");
    if (answer?.say !== "counted") return undefined;
    this.lastCount = answer.counted.service;
    return answer.counted;
  }

  #hear(message: FromWorker): void {
    switch (message.say) {
      case "here":
        this.#isThere = true;
        this.#send({ say: "begin", orders: this.#orders });
        if (this.#stop) this.#send(this.#stop);
        break;
      case "ready":
        this.#isReady = true;
        this.#becomesReady.resolve(message.url);
        break;
      case "bye":
        this.lastCount = message.service;
        break;
      default:
        this.#waiting.get(message.ask)?.(message);
    }
  }

  async #ask(say: "count" | "look-at-keys"): Promise<Answer | undefined> {
    const ask = ++this.#asked;
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
    const timer = setTimeout(() => resolve(undefined), ANSWER_MS);
    this.#waiting.set(ask, resolve);
    this.#send({ say, ask });
    const answer = await promise;
    clearTimeout(timer);
    this.#waiting.delete(ask);
    return answer;
  }

  /** One that has just ended hears nothing any more: `ended` tells. */
  #send(message: ToWorker): void {
    try {
      this.#child.send(message);
    } catch {
      // It is gone.
    }
  }
}
