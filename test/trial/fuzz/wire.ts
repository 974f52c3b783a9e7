/** Sends the text of requests over raw connections, and reads the responses. */

import { Connection, type Exchange, plainBody, type RawReply } from "../../support/connection.ts";
import { isOurs } from "./judge.ts";

/** The server may close a connection that was idle for longer, while the next request is on its way. */
const MOST_IDLE_MS = 3000;

/** Reuses one connection, as clients do, until the server says that it closes it, or a test does. */
export class Wire {
  #connection: Connection | undefined;
  #usedAt = 0;

  constructor(private readonly url: string) {}

  /** Sends one request and waits for its response. A connection that is closed without one is a failure. */
  async ask(text: string, method: string): Promise<Exchange> {
    if (performance.now() - this.#usedAt > MOST_IDLE_MS) this.close();
    this.#connection ??= await Connection.open(this.url);
    const connection = this.#connection;
    connection.expect([method]);
    await connection.write(Buffer.from(text, "latin1"));
    const exchange = await connection.replies(false);
    const isOver =
      exchange.isClosed ||
      exchange.isHung ||
      exchange.rest.length > 0 ||
      // Nothing else can follow a request for a tunnel.
      method === "CONNECT" ||
      // The runtime closes the connection after a refusal of its own, without saying so.
      exchange.replies.some(
        (reply) => !isOurs(reply) || /\bclose\b/i.test(reply.headers.get("connection") ?? ""),
      );
    if (isOver) this.close();
    this.#usedAt = performance.now();
    return exchange;
  }

  /** Sends anything, ends the sending side, and reads what comes until the server closes. */
  async askAndEnd(text: string, methods: readonly string[]): Promise<Exchange> {
    const connection = await Connection.open(this.url);
    connection.expect(methods);
    await connection.write(Buffer.from(text, "latin1"));
    connection.finish();
    const exchange = await connection.replies(true);
    connection.close();
    return exchange;
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

/** The body as text, whatever its encoding. */
export const textOf = (reply: RawReply): string => plainBody(reply).toString();
