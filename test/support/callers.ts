/** Clients that repeat a request over keep-alive connections and record what went wrong. */

import { Caller, NoResponse } from "../trial/soak/caller.ts";
import { repeatedly } from "./repeatedly.ts";

interface CallersOptions {
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
  readonly losses: NoResponse[] = [];
  /** The processes that have responded. */
  readonly processes = new Set<string>();
  /** Waits for pending responses. */
  readonly stop: () => Promise<void>;

  constructor({ url, callers, pauseMs, ...request }: CallersOptions) {
    const all = Array.from({ length: callers }, () => new Caller({ url, isReplacing: false }));
    const end = repeatedly(callers, (at) => this.#call(all[at]!, request), pauseMs);
    this.stop = async () => {
      await end();
      for (const caller of all) caller.close();
    };
  }

  async #call(
    caller: Caller,
    { path, headers }: Pick<CallersOptions, "path" | "headers">,
  ): Promise<void> {
    try {
      const { status } = await caller.ask(path, headers);
      this.replies += 1;
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      if (caller.process !== undefined) this.processes.add(caller.process);
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
      this.losses.push(error);
    }
  }
}
