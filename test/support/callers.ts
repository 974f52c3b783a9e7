/** Clients that repeat a request over keep-alive connections and record what went wrong. */

import { Connection } from "./connection.ts";

/** A request that got no complete response. */
export interface Loss {
  /** Whether an earlier request on the same connection got a complete response. */
  wasKept: boolean;
  /** The process that sent the last response on the connection. */
  process: string | undefined;
  error: string;
}

export interface CallersOptions {
  url: string;
  path: string;
  headers: Record<string, string>;
  callers: number;
  /** For how long each waits before its next request or connection, so that a long test does not take all of the machine. */
  pauseMs: number;
}

/** Clients that send requests until they are stopped. */
export class Callers {
  replies = 0;
  readonly statuses = new Map<number, number>();
  readonly losses: Loss[] = [];
  /** The processes that have responded. */
  readonly processes = new Set<string>();
  readonly #options: CallersOptions;
  readonly #work: Promise<void>[];
  #isOver = false;

  constructor(options: CallersOptions) {
    this.#options = options;
    this.#work = Array.from({ length: options.callers }, () => this.#call());
  }

  /** Waits for pending responses. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#work);
  }

  async #call(): Promise<void> {
    while (!this.#isOver) {
      const line = new Connection(this.#options.url);
      await this.#callOn(line);
      line.close();
      await Bun.sleep(this.#options.pauseMs);
    }
  }

  async #callOn(line: Connection): Promise<void> {
    const { path, headers, pauseMs } = this.#options;
    let wasKept = false;
    while (!this.#isOver && !line.isClosed) {
      try {
        const reply = await line.ask(path, headers);
        this.replies += 1;
        this.statuses.set(reply.status, (this.statuses.get(reply.status) ?? 0) + 1);
        if (line.process !== undefined) this.processes.add(line.process);
        wasKept = true;
        if (reply.headers.get("connection") === "close") return;
        await Bun.sleep(pauseMs);
      } catch (error) {
        this.losses.push({ wasKept, process: line.process, error: (error as Error).message });
        return;
      }
    }
  }
}
