/** A worker process as seen by its supervisor, and the messages between the two. */

import type { MetricFamily } from "../observe/prometheus.ts";

/** What a worker is started with, in its environment: only the same user can read that. */
export interface WorkerOptions {
  /** Starts at 1. */
  number: number;
  host: string;
  port: number;
  /** A key that the portal offers to every visitor. */
  offeredKey: string | undefined;
  /** Signs the tokens of portal visitors, unless the settings have a secret for it; chooses the buckets of addresses. */
  visitorSecret: string;
}

export type ToWorker =
  /** The response has the same id. */
  | { type: "get-metrics"; id: number }
  /** May be sent again with a shorter time. */
  | { type: "stop"; signal: string; drainMs: number };

/** The metrics of a worker: of the service, and of its process. */
export interface WorkerMetrics {
  service: MetricFamily[];
  process: MetricFamily[];
}

export type FromWorker =
  | { type: "ready"; url: string }
  | { type: "metrics"; id: number; metrics: WorkerMetrics }
  /** Before a clean exit. */
  | { type: "final-metrics"; service: MetricFamily[] };

/** The signal that a worker is stopped with when another one has taken over. */
export const REPLACED = "SIGHUP";

/** Marks a process as a worker. Without the prefix MATCHBOOK_, because it is not a setting. */
const WORKER_VARIABLE = "WORKER_OF_MATCHBOOK";

/** Undefined in a process that is no worker. */
export function workerOptions(): WorkerOptions | undefined {
  const text = process.env[WORKER_VARIABLE];
  return text === undefined ? undefined : JSON.parse(text);
}

/** The descriptor of the shared memory that a worker inherits: the one after standard error. */
export const INHERITED = 3;

const RESPONSE_TIMEOUT_MS = 2000;

export interface WorkerExit {
  exitCode: number | null;
  /** The name of the signal, or its number if it has none. */
  signal: string | number | null;
}

export const describeExit = ({ exitCode, signal }: WorkerExit): string =>
  signal === null ? `exit code ${exitCode}` : String(signal);

export class WorkerProcess {
  readonly number: number;
  readonly pid: number;
  /** Its URL once it is ready, or how it exited before. */
  readonly ready: Promise<string | WorkerExit>;
  readonly exited: Promise<WorkerExit>;
  /** Whether it was ever ready. */
  isReady = false;
  /** The service metrics that it reported last. */
  lastMetrics: MetricFamily[] = [];
  readonly #child: Bun.Subprocess;
  readonly #ready = Promise.withResolvers<string | WorkerExit>();
  readonly #pending = new Map<number, (metrics: WorkerMetrics | undefined) => void>();
  #lastId = 0;

  constructor(command: readonly string[], memory: number, options: WorkerOptions) {
    this.number = options.number;
    this.ready = this.#ready.promise;
    this.#child = Bun.spawn([...command], {
      stdio: ["ignore", "ignore", "inherit", memory],
      env: { ...process.env, [WORKER_VARIABLE]: JSON.stringify(options) },
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

  /** Stops it gracefully: it drains connections for this long. */
  stop(signal: string, drainMs: number): void {
    this.#send({ type: "stop", signal, drainMs });
  }

  /** Undefined if it does not respond. */
  async metrics(): Promise<WorkerMetrics | undefined> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<WorkerMetrics | undefined>();
    const timer = setTimeout(() => resolve(undefined), RESPONSE_TIMEOUT_MS);
    this.#pending.set(id, resolve);
    this.#send({ type: "get-metrics", id });
    const metrics = await promise;
    clearTimeout(timer);
    this.#pending.delete(id);
    if (metrics) this.lastMetrics = metrics.service;
    return metrics;
  }

  #receive(message: FromWorker): void {
    switch (message.type) {
      case "ready":
        this.isReady = true;
        this.#ready.resolve(message.url);
        break;
      case "final-metrics":
        this.lastMetrics = message.service;
        break;
      default:
        this.#pending.get(message.id)?.(message.metrics);
    }
  }

  /** Does nothing if the process has just exited. */
  #send(message: ToWorker): void {
    try {
      this.#child.send(message);
    } catch {
      // It has exited.
    }
  }
}
