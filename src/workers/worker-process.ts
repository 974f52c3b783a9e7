/** A worker as its supervisor sees it: a process and the messages that the two exchange. */

import type { MetricFamily } from "../observe/prometheus.ts";

/** Sent to a worker when it has said hello. */
export interface WorkerOptions {
  /** From 1 on. */
  number: number;
  /** How many there are in all. */
  workers: number;
  host: string;
  port: number;
  /** A secret that all of them share. */
  seed: number;
  /** A key that the portal offers to every visitor. */
  offeredKey: string | undefined;
}

export type ToWorker =
  | { type: "start"; options: WorkerOptions }
  /** Requests that are answered with the same id. */
  | { type: "get-metrics"; id: number }
  | { type: "reload-keys"; id: number }
  /** May be sent again, with less time. */
  | { type: "stop"; signal: string; drainMs: number };

/** What a worker has counted: of the service, and of its process. */
export interface WorkerMetrics {
  service: MetricFamily[];
  process: MetricFamily[];
}

export type FromWorker =
  | { type: "hello" }
  | { type: "ready"; url: string }
  | { type: "metrics"; id: number; metrics: WorkerMetrics }
  | { type: "keys-reloaded"; id: number }
  /** Before a clean exit. */
  | { type: "final-metrics"; service: MetricFamily[] };

type Answer = Extract<FromWorker, { id: number }>;

/** Marks a process as a worker. It is not a setting, and so does not begin with MATCHBOOK_. */
const WORKER_VARIABLE = "WORKER_OF_MATCHBOOK";

export const isWorker = (): boolean => process.env[WORKER_VARIABLE] !== undefined;

/** The descriptor of the shared memory that a worker inherits: the one after standard error. */
export const INHERITED = 3;

const ANSWER_TIMEOUT_MS = 2000;

export interface WorkerExit {
  exitCode: number | null;
  /** By its name; by its number if it has none. */
  signal: string | number | null;
}

export const describeExit = ({ exitCode, signal }: WorkerExit): string =>
  signal === null ? `exit code ${exitCode}` : String(signal);

export class WorkerProcess {
  readonly number: number;
  readonly pid: number;
  /** Its URL once it serves, or how it exited before that. */
  readonly ready: Promise<string | WorkerExit>;
  readonly exited: Promise<WorkerExit>;
  /** The metrics of the service as it reported them last. */
  lastMetrics: MetricFamily[] = [];
  readonly #child: Bun.Subprocess;
  readonly #ready = Promise.withResolvers<string | WorkerExit>();
  readonly #pending = new Map<number, (answer: Answer | undefined) => void>();
  #lastId = 0;
  #saidHello = false;
  #isReady = false;
  #stop: ToWorker | undefined;

  constructor(
    command: readonly string[],
    memory: number,
    private readonly options: WorkerOptions,
  ) {
    this.number = options.number;
    this.ready = this.#ready.promise;
    this.#child = Bun.spawn([...command], {
      stdio: ["ignore", "ignore", "inherit", memory],
      env: { ...process.env, [WORKER_VARIABLE]: String(options.number) },
      ipc: (message: FromWorker) => this.#receive(message),
    });
    this.pid = this.#child.pid;
    this.exited = this.#child.exited.then(() => {
      const exit: WorkerExit = { exitCode: this.#child.exitCode, signal: this.#child.signalCode };
      this.#ready.resolve(exit);
      for (const resolve of this.#pending.values()) resolve(undefined);
      return exit;
    });
  }

  /** Whether it serves, or has done so. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Stops it after clients were told to close their connections for so long. */
  stop(signal: string, drainMs: number): void {
    this.#stop = { type: "stop", signal, drainMs };
    if (this.#saidHello) this.#send(this.#stop);
  }

  /** Resolves when it has loaded the keys, or does not answer. */
  async reloadKeys(): Promise<void> {
    await this.#request("reload-keys");
  }

  /** Undefined when it does not answer. */
  async metrics(): Promise<WorkerMetrics | undefined> {
    const answer = await this.#request("get-metrics");
    if (answer?.type !== "metrics") return undefined;
    this.lastMetrics = answer.metrics.service;
    return answer.metrics;
  }

  #receive(message: FromWorker): void {
    switch (message.type) {
      case "hello":
        this.#saidHello = true;
        this.#send({ type: "start", options: this.options });
        if (this.#stop) this.#send(this.#stop);
        break;
      case "ready":
        this.#isReady = true;
        this.#ready.resolve(message.url);
        break;
      case "final-metrics":
        this.lastMetrics = message.service;
        break;
      default:
        this.#pending.get(message.id)?.(message);
    }
  }

  async #request(type: "get-metrics" | "reload-keys"): Promise<Answer | undefined> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
    const timer = setTimeout(() => resolve(undefined), ANSWER_TIMEOUT_MS);
    this.#pending.set(id, resolve);
    this.#send({ type, id });
    const answer = await promise;
    clearTimeout(timer);
    this.#pending.delete(id);
    return answer;
  }

  /** A process that has just exited receives nothing; `exited` tells. */
  #send(message: ToWorker): void {
    try {
      this.#child.send(message);
    } catch {
      // It has exited.
    }
  }
}
