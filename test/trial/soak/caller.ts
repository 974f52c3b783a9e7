/**
 * A caller that keeps its connection as long as the server does. Only while workers are replaced may a new connection
 * get no response; a connection that has carried one never may.
 */

import { Connection, type RawReply } from "../../support/connection.ts";
import { JSON_API } from "../../support/world.ts";

/** Workers are replaced one after another: several tries in a row do not meet a closing one. */
const MOST_TRIES = 10;
/** A server may close a connection that was idle for longer, while the next request is on its way. */
const MOST_IDLE_MS = 3000;

/** A request got no response although it must. */
export class NoResponse extends Error {
  constructor(
    message: string,
    /** Whether an earlier request on the same connection got a complete response. */
    readonly wasKept: boolean,
    /** The process that sent the last response on the connection. */
    readonly process: string | undefined,
  ) {
    super(message);
  }
}

export class Caller {
  #line: Connection | undefined;
  #usedAt = 0;
  /** How many connections were reset while they were opened. */
  refused = 0;
  /** The one that sent the last response. */
  process: string | undefined;

  constructor(private readonly server: { readonly url: string; readonly isReplacing: boolean }) {}

  static headers = (key: string) => ({ Authorization: `Bearer ${key}`, Accept: JSON_API });

  async ask(
    path: string,
    headers: Record<string, string>,
    method: "GET" | "HEAD" = "GET",
  ): Promise<RawReply> {
    for (let tries = 1; ; tries++) {
      const wasReplacing = this.server.isReplacing;
      const line = this.#open();
      const isKept = line.process !== undefined;
      try {
        const reply = await line.ask(path, headers, method);
        this.#usedAt = performance.now();
        this.process = line.process;
        if (reply.headers.get("connection") === "close") this.close();
        return reply;
      } catch (error) {
        this.close();
        const isExcused = !isKept && (wasReplacing || this.server.isReplacing);
        if (!isExcused || tries === MOST_TRIES) {
          const which = isKept ? "a kept" : "a new";
          const message = `${which} connection got no response to ${path}: ${error}`;
          throw new NoResponse(message, isKept, line.process);
        }
        this.refused += 1;
      }
    }
  }

  #open(): Connection {
    const isIdle = performance.now() - this.#usedAt > MOST_IDLE_MS;
    if (this.#line && !this.#line.isClosed && !isIdle) return this.#line;
    this.close();
    this.#line = new Connection(this.server.url);
    return this.#line;
  }

  close(): void {
    this.#line?.close();
    this.#line = undefined;
  }
}
