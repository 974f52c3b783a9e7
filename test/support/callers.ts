/** Clients that repeat a request over keep-alive connections and record what went wrong. */

import { connect, type Socket } from "node:net";

export interface Reply {
  status: number;
  /** By lower-case name. */
  headers: Map<string, string>;
  body: Buffer;
}

/** A request that got no complete response. */
export interface Loss {
  /** Whether an earlier request on the same connection got a complete response. */
  wasKept: boolean;
  /** The process that sent the last response on the connection. */
  process: string | undefined;
  error: string;
}

/** One connection that carries one request at a time. */
export class Line {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #wake: () => void = () => {};
  #end: string | undefined;
  /** The process that serves this connection, by its request ids. */
  process: string | undefined;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#socket = connect(Number(port), hostname);
    this.#socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    const end = (why: string) => {
      this.#end ??= why;
      this.#wake();
    };
    this.#socket.on("error", ({ message }) => end(message));
    this.#socket.on("close", () => end("closed"));
  }

  /** Whether the server closed the connection while no request was pending. */
  get isClosed(): boolean {
    return this.#end !== undefined;
  }

  /** Throws when the connection ends before the complete response has arrived. */
  async ask(
    path: string,
    headers: Record<string, string>,
    method: "GET" | "HEAD" = "GET",
  ): Promise<Reply> {
    const fields = Object.entries({ Host: "matchbook", ...headers });
    const lines = [`${method} ${path} HTTP/1.1`, ...fields.map((field) => field.join(": "))];
    this.#socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    for (;;) {
      const reply = this.#wholeReply(method);
      if (reply) {
        this.process = reply.headers.get("x-request-id")?.split("-")[0];
        return reply;
      }
      if (this.#end !== undefined) throw new Error(this.#end);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  #wholeReply(method: string): Reply | undefined {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const [first = "", ...fields] = this.#received.toString("latin1", 0, end).split("\r\n");
    const headers = new Map(
      fields.map((field): [string, string] => {
        const colon = field.indexOf(":");
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
      }),
    );
    const status = Number(first.split(" ")[1]);
    const hasBody = method !== "HEAD" && status !== 304;
    const length = end + 4 + (hasBody ? Number(headers.get("content-length") ?? 0) : 0);
    if (this.#received.length < length) return undefined;
    const body = this.#received.subarray(end + 4, length);
    this.#received = this.#received.subarray(length);
    return { status, headers, body };
  }
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
      const line = new Line(this.#options.url);
      await this.#callOn(line);
      line.close();
      await Bun.sleep(this.#options.pauseMs);
    }
  }

  async #callOn(line: Line): Promise<void> {
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
