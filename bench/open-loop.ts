/**
 * A load generator with a constant rate: it sends requests when they are due, whether or not earlier ones have been
 * answered, and measures from then on. wrk waits for responses, so it sends less to a server that is slow, and a server
 * cannot be overloaded by it. Prints one line of JSON.
 *
 *   bun bench/open-loop.ts URL KEY FILE RATE SECONDS
 */

import { readFileSync } from "node:fs";

/** Times in milliseconds. */
export interface OpenLoopResult {
  sent: number;
  admitted: Latencies;
  /** Responses with 503 overloaded. */
  refused: Latencies;
  health: Latencies;
  /** Other statuses, and requests without a response. */
  failed: number;
  connections: number;
}

export interface Latencies {
  count: number;
  p50: number;
  p99: number;
  max: number;
}

/** More are opened when all of them wait for a response. */
const CONNECTIONS = 64;
const MAX_CONNECTIONS = 4000;
/** The head of a response is shorter. */
const MAX_HEAD = 2000;
/** Responses that take longer do not count as responses. */
const PATIENCE_MS = 10_000;
/** Below the limit on requests without a key. */
const HEALTH_EVERY_MS = 150;

/** A request that is due, or was sent. */
interface Sent {
  due: number;
  into: Times;
}

class Times {
  readonly values: number[] = [];

  latencies(): Latencies {
    const sorted = Float64Array.from(this.values).sort();
    const at = (share: number) =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
  }
}

const [url = "", key = "", file = "", rate = "", seconds = ""] = process.argv.slice(2);
const { hostname, port, host } = new URL(url);
const admitted = new Times();
const refused = new Times();
const health = new Times();
let failed = 0;

/** One connection, with one request at a time. */
class Client {
  static count = 0;
  #socket: Bun.Socket | undefined;
  #sent: Sent | undefined;
  #head = "";
  /** Bytes of the response before those that complete its head. */
  #before = 0;
  #status = 0;
  #missing = 0;

  /** It joins the others when it has nothing to do. */
  private constructor(private readonly idle: Client[]) {}

  static async open(idle: Client[]): Promise<Client> {
    const client = new Client(idle);
    Client.count += 1;
    client.#socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        data: (_, bytes) => client.#receive(bytes),
        close: () => client.#lost(),
        error: () => {},
      },
    });
    return client;
  }

  send(text: string, sent: Sent): void {
    this.#sent = sent;
    const written = this.#socket!.write(text);
    if (written < text.length) throw new Error(`${written} of ${text.length} bytes were sent`);
  }

  /** The head of a response may arrive in pieces. */
  #receive(bytes: Buffer): void {
    if (this.#missing === 0) {
      this.#head += bytes.toString("latin1", 0, MAX_HEAD);
      const end = this.#head.indexOf("\r\n\r\n");
      if (end < 0) {
        this.#before += bytes.length;
        return;
      }
      this.#status = Number(this.#head.slice(9, 12));
      const length = /content-length: (\d+)/i.exec(this.#head)?.[1] ?? "0";
      this.#missing = end + 4 + Number(length) - this.#before;
      this.#head = "";
      this.#before = 0;
    }
    this.#missing -= bytes.length;
    if (this.#missing > 0) return;
    const { due, into } = this.#sent!;
    this.#sent = undefined;
    const took = performance.now() - due;
    if (took > PATIENCE_MS || (this.#status !== 200 && this.#status !== 503)) failed += 1;
    else (this.#status === 200 ? into : refused).values.push(took);
    this.idle.push(this);
  }

  #lost(): void {
    if (this.#sent) failed += 1;
    this.#sent = undefined;
    Client.count -= 1;
    const at = this.idle.indexOf(this);
    if (at >= 0) this.idle.splice(at, 1);
  }
}

const requests = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => {
    const [path, ...headers] = line.split("\t");
    return requestText(path!, [
      ...headers,
      `Authorization: Bearer ${key}`,
      "Accept: application/vnd.api+json",
    ]);
  });
const healthCheck = requestText("/healthz", []);

function requestText(path: string, headers: string[]): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`;
}

const idle: Client[] = [];
const idleMonitors: Client[] = [];
const open = Array.from({ length: CONNECTIONS }, () => Client.open(idle));
idle.push(...(await Promise.all(open)));
idleMonitors.push(await Client.open(idleMonitors));

const began = performance.now();
const end = began + Number(seconds) * 1000;
const gap = 1000 / Number(rate);
let sent = 0;
let opening = 0;
let nextHealth = began;

/** Sends what is due. Does not sleep, because timers are late by up to a millisecond. */
function turn(): void {
  const now = performance.now();
  if (now > end) {
    finish();
    return;
  }
  for (let due = began + sent * gap; due <= now; due = began + sent * gap) {
    // Those that served last come first, so that no more are used than needed.
    const client = idle.pop();
    if (!client) {
      openMore();
      break;
    }
    client.send(requests[sent % requests.length]!, { due, into: admitted });
    sent += 1;
  }
  if (now >= nextHealth) {
    nextHealth = now + HEALTH_EVERY_MS;
    idleMonitors.pop()?.send(healthCheck, { due: now, into: health });
  }
  setImmediate(turn);
}

function openMore(): void {
  if (opening >= 16 || Client.count >= MAX_CONNECTIONS) return;
  opening += 1;
  Client.open(idle).then((client) => {
    opening -= 1;
    idle.push(client);
  });
}

function finish(): void {
  const answered = () => admitted.values.length + refused.values.length + failed;
  const wait = () => {
    if (answered() < sent && performance.now() < end + PATIENCE_MS) {
      setTimeout(wait, 10);
      return;
    }
    const result: OpenLoopResult = {
      sent,
      admitted: admitted.latencies(),
      refused: refused.latencies(),
      health: health.latencies(),
      failed: failed + Math.max(0, sent - answered()),
      connections: Client.count,
    };
    process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
  };
  wait();
}

turn();
