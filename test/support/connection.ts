/** One HTTP connection: bytes are sent as they are, responses are parsed, and every wait has an end. */

import { connect, type Socket } from "node:net";
import { gunzipSync } from "node:zlib";

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
  #end: string | undefined;
  #methods: readonly string[] = [];
  #wake = () => {};
  readonly #socket: Socket;
  /** The process that sent the last response, by its request id. */
  process: string | undefined;

  /** What is sent before the connection is open waits for it. */
  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    this.#socket.setNoDelay(true);
    this.#socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#read();
    });
    const end = (why: string) => {
      this.#end ??= why;
      this.#wake();
    };
    this.#socket.on("end", () => end("closed"));
    this.#socket.on("close", () => end("closed"));
    // A reset is an end like any other: what counts is what was received before it.
    this.#socket.on("error", ({ message }) => end(message));
  }

  static open(url: string): Promise<Connection> {
    const connection = new Connection(url);
    return new Promise((resolve, reject) => {
      connection.#socket.once("error", reject);
      connection.#socket.once("connect", () => resolve(connection));
    });
  }

  /** Whether the server has closed it. */
  get isClosed(): boolean {
    return this.#end !== undefined;
  }

  /** Waits until the bytes have been handed over, so that the next ones are in another packet. */
  write(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (this.isClosed) resolve();
      else this.#socket.write(bytes, () => setImmediate(resolve));
    });
  }

  /** Closes the sending side. */
  finish(): void {
    this.#socket.end();
  }

  /** The methods of the next requests: responses to HEAD have no body. */
  expect(methods: readonly string[]): void {
    this.#methods = methods;
  }

  /** One response per expected request, or fewer when the connection ends. */
  async replies(untilClosed: boolean, patienceMs = PATIENCE_MS): Promise<Exchange> {
    const isDone = () =>
      this.isClosed || (!untilClosed && this.#replies.length >= this.#methods.length);
    let isHung = false;
    if (!isDone()) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          isHung = true;
          resolve();
        }, patienceMs);
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
    return { replies, rest: this.#received, isClosed: this.isClosed, isHung };
  }

  /** One request. Throws when the connection ends before the complete response has arrived. */
  async ask(
    path: string,
    headers: Record<string, string>,
    method: "GET" | "HEAD" = "GET",
  ): Promise<RawReply> {
    const fields = Object.entries({ Host: "matchbook", ...headers });
    const lines = [`${method} ${path} HTTP/1.1`, ...fields.map((field) => field.join(": "))];
    this.expect([method]);
    this.#socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    const [reply] = (await this.replies(false, LONGEST_MS)).replies;
    if (!reply) throw new Error(this.#end ?? "no response");
    this.process = reply.headers.get("x-request-id")?.split("-")[0];
    return reply;
  }

  close(): void {
    this.#socket.destroy();
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

/** The body, whatever its encoding. */
export function plainBody({ headers, body }: Pick<RawReply, "headers" | "body">): Buffer {
  return headers.get("content-encoding") === "gzip" ? gunzipSync(body) : body;
}

/** Of an ordinary request: only a hang takes as long. */
const LONGEST_MS = 300_000;

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
