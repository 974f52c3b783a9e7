/** Sends the text of requests over raw connections, and reads the responses. */

import { Connection, type Exchange, plainBody, type RawReply } from "../../support/connection.ts";
import type { HostileRequest } from "./hostile-requests.ts";
import { isOurs } from "./judge.ts";

export type Sent = Pick<HostileRequest, "bytes" | "methods" | "afterwards">;

/** The server may close a connection that was idle for longer, while the next request is on its way. */
const MOST_IDLE_MS = 3000;

/** Reuses one connection, as clients do, until the server says that it closes it, or a test does. */
export class Wire {
  #connection: Connection | undefined;
  #usedAt = 0;

  constructor(private readonly url: string) {}

  /** Sends requests, and reads the responses. A connection that is closed without one is a failure. */
  async send({ bytes, methods, afterwards }: Sent): Promise<Exchange> {
    if (performance.now() - this.#usedAt > MOST_IDLE_MS) this.close();
    this.#connection ??= await Connection.open(this.url);
    const connection = this.#connection;
    connection.expect(methods);
    await connection.write(bytes);
    if (afterwards === "end") connection.finish();
    const exchange = await connection.replies(afterwards === "end");
    const isOver =
      afterwards !== "keep" ||
      exchange.isClosed ||
      exchange.isHung ||
      exchange.rest.length > 0 ||
      // Nothing else can follow a request for a tunnel.
      methods.includes("CONNECT") ||
      // The runtime closes the connection after a refusal of its own, without saying so.
      exchange.replies.some(
        (reply) => !isOurs(reply) || /\bclose\b/i.test(reply.headers.get("connection") ?? ""),
      );
    if (isOver) this.close();
    this.#usedAt = performance.now();
    return exchange;
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

/** The body as text, whatever its encoding. */
export const textOf = (reply: RawReply): string => plainBody(reply).toString();
