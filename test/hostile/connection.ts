/** Raw connections: bytes are sent as they are, responses are parsed, and every wait has a timeout. */

import { connect, type Socket } from "node:net";

export interface RawReply {
  status: number;
  headers: Headers;
  body: Buffer;
}

export interface Exchange {
  replies: RawReply[];
  /** Received bytes that are not a complete response. */
  rest: Buffer;
  /** Whether the server closed the connection. */
  isClosed: boolean;
  /** Whether the wait timed out. */
  isHung: boolean;
}

/** No request may take longer, even on a machine that does ten other things. */
const PATIENCE_MS = 60_000;

export class Connection {
  #received: Buffer = Buffer.alloc(0);
  #replies: RawReply[] = [];
  #isClosed = false;
  #methods: readonly string[] = [];
  #wake = () => {};

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#read();
    });
    const close = () => {
      this.#isClosed = true;
      this.#wake();
    };
    socket.on("end", close);
    socket.on("close", close);
    // A reset is an end like any other: what counts is what was received before it.
    socket.on("error", close);
  }

  static open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(new Connection(socket));
      });
    });
  }

  /** Waits until the bytes have been handed over, so that the next ones are in another packet. */
  write(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isClosed) resolve();
      else this.socket.write(bytes, () => setImmediate(resolve));
    });
  }

  /** Closes the sending side. */
  finish(): void {
    this.socket.end();
  }

  /** The methods of the next requests: responses to HEAD have no body. */
  expect(methods: readonly string[]): void {
    this.#methods = methods;
  }

  /** One response per expected request, or fewer when the connection ends. */
  async replies(untilClosed: boolean): Promise<Exchange> {
    const isDone = () =>
      this.#isClosed || (!untilClosed && this.#replies.length >= this.#methods.length);
    let isHung = false;
    if (!isDone()) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          isHung = true;
          resolve();
        }, PATIENCE_MS);
        this.#wake = () => {
          if (!isDone()) return;
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = () => {};
    }
    const replies = this.#replies;
    this.#replies = [];
    return { replies, rest: this.#received, isClosed: this.#isClosed, isHung };
  }

  close(): void {
    this.socket.destroy();
  }

  #read(): void {
    for (;;) {
      const method = this.#methods[this.#replies.length] ?? this.#methods.at(-1) ?? "GET";
      const found = readReply(this.#received, method);
      if (!found) break;
      this.#received = this.#received.subarray(found.length);
      // "Continue" is not the final response.
      if (found.reply.status >= 200) this.#replies.push(found.reply);
    }
    this.#wake();
  }
}

/** The first response in these bytes, once it is complete. */
function readReply(bytes: Buffer, method: string): { reply: RawReply; length: number } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [statusLine = "", ...fields] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) return undefined;
  const headers = new Headers(
    fields.map((field): [string, string] => {
      const colon = field.indexOf(":");
      return [field.slice(0, colon), field.slice(colon + 1).trim()];
    }),
  );
  const hasBody = method !== "HEAD" && status >= 200 && status !== 204 && status !== 304;
  const start = end + 4;
  const length = start + (hasBody ? Number(headers.get("content-length") ?? 0) : 0);
  if (bytes.length < length) return undefined;
  return { reply: { status, headers, body: bytes.subarray(start, length) }, length };
}
