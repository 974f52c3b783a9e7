/** Sends the text of requests over raw connections, and reads the responses. */

import { gunzipSync } from "node:zlib";
import { Connection, type Exchange, type RawReply } from "../hostile/connection.ts";

const MAX_ATTEMPTS = 3;

/** Reuses one connection, as clients do, until the server or a test closes it. */
export class Wire {
  #connection: Connection | undefined;

  constructor(private readonly url: string) {}

  /**
   * Sends one request and waits for its response. A server may close an idle or slow connection at any moment, so silence
   * counts only if it comes again on new connections.
   */
  async ask(text: string, method: string): Promise<Exchange> {
    for (let attempt = 1; ; attempt++) {
      const exchange = await this.#ask(text, method);
      const isSilent = exchange.isClosed && exchange.replies.length === 0;
      if (!isSilent || attempt === MAX_ATTEMPTS) return exchange;
    }
  }

  async #ask(text: string, method: string): Promise<Exchange> {
    this.#connection ??= await Connection.open(this.url);
    const connection = this.#connection;
    connection.expect([method]);
    await connection.write(Buffer.from(text, "latin1"));
    const exchange = await connection.replies(false);
    const isOver =
      exchange.isClosed ||
      exchange.isHung ||
      exchange.rest.length > 0 ||
      exchange.replies.some(({ headers }) => /\bclose\b/i.test(headers.get("connection") ?? ""));
    if (isOver) this.close();
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
export function textOf({ headers, body }: RawReply): string {
  const encoding = headers.get("content-encoding");
  if (encoding === "gzip") return gunzipSync(body).toString();
  return (encoding === "zstd" ? Bun.zstdDecompressSync(body) : body).toString();
}
