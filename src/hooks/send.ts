/**
 * Sends one request to a receiver. Written on sockets, because the connection must go to the address that was checked:
 * fetch would resolve the name again, follow proxies of the environment, and decompress what it receives.
 */

import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { version } from "../../package.json";
import { ForbiddenUrl, hostOf, resolveHookUrl } from "./hook-url.ts";

export interface SendOptions {
  allowPrivate: boolean;
  /** Stops waiting, e.g. because the server stops. */
  signal: AbortSignal;
  timeoutMs?: number;
}

/** What became of a request. `result` is for operators, and short. */
export interface SendOutcome {
  kind: "delivered" | "gone" | "failed";
  result: string;
  /** What the receiver asks for; 0 if it does not. */
  retryAfterMs: number;
}

export type Send = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  options: SendOptions,
) => Promise<SendOutcome>;

export const TIMEOUT_MS = 15_000;
/** An address that does not respond leaves time for the next one. */
const CONNECT_MS = 5000;
const MAX_HEAD_BYTES = 16 * 1024;
/** More of a response is not read. */
const MAX_READ_BYTES = 64 * 1024;
const LONGEST_RESULT = 200;
/** Errors may quote what a receiver sent, and results are shown on terminals. */
const NOT_PRINTABLE = /[^\x20-\x7e]/g;
const GONE = 410;

/** Never throws. */
export const send: Send = async (url, headers, body, { allowPrivate, signal, timeoutMs }) => {
  const limit = timeoutMs ?? TIMEOUT_MS;
  const expired = AbortSignal.timeout(limit);
  const ended = AbortSignal.any([signal, expired]);
  try {
    const target = new URL(url);
    const addresses = await orEnd(resolveHookUrl(target, allowPrivate), ended);
    const socket = await connectToOne(target, addresses, ended);
    const head = await exchange(socket, requestText(target, headers, body), ended);
    return outcomeOf(head);
  } catch (error) {
    const reason = expired.aborted ? `no response within ${limit / 1000} s` : reasonOf(error);
    const result = reason.slice(0, LONGEST_RESULT).replace(NOT_PRINTABLE, "?");
    return { kind: "failed", result, retryAfterMs: 0 };
  }
};

interface Head {
  status: number;
  retryAfter: string | undefined;
}

function outcomeOf({ status, retryAfter }: Head): SendOutcome {
  const isDelivered = status >= 200 && status <= 299;
  const kind = isDelivered ? "delivered" : status === GONE ? "gone" : "failed";
  const isRedirect = status >= 300 && status <= 399;
  const result = `HTTP ${status}${isRedirect ? ": redirects are not followed" : ""}`;
  return { kind, result, retryAfterMs: isDelivered ? 0 : delayOf(retryAfter, Date.now()) };
}

/** Seconds or an HTTP date. */
export function delayOf(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}

function requestText(url: URL, headers: Readonly<Record<string, string>>, body: string): string {
  const all = {
    Host: url.host,
    "User-Agent": `Matchbook/${version}`,
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    Connection: "close",
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** The addresses in their order. Throws the error of the last one. */
async function connectToOne(
  url: URL,
  addresses: readonly string[],
  ended: AbortSignal,
): Promise<Socket> {
  let failure: unknown;
  for (const address of addresses) {
    try {
      return await connected(url, address, ended);
    } catch (error) {
      ended.throwIfAborted();
      failure = error;
    }
  }
  throw failure ?? new Error("the name has no address");
}

function connected(url: URL, address: string, ended: AbortSignal): Promise<Socket> {
  const host = hostOf(url);
  const isSecure = url.protocol === "https:";
  const port = Number(url.port) || (isSecure ? 443 : 80);
  // The certificate must be for the name, although the connection goes to an address.
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const socket = isSecure
    ? connectTls({ host: address, port, ALPNProtocols: ["http/1.1"], ...servername })
    : connectPlain({ host: address, port });
  return new Promise<Socket>((resolve, reject) => {
    const fail = (error: unknown) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(() => fail(new Error("no connection within 5 s")), CONNECT_MS);
    const onEnd = () => fail(ended.reason);
    ended.addEventListener("abort", onEnd, { once: true });
    // Stays: an error without a listener would end the process.
    socket.on("error", fail);
    socket.once("close", () => fail(new Error("the receiver closed the connection")));
    socket.once(isSecure ? "secureConnect" : "connect", () => {
      clearTimeout(timer);
      ended.removeEventListener("abort", onEnd);
      resolve(socket);
    });
  });
}

/** Resolves with the head when the receiver closes the connection, has sent enough, or the time is over. */
function exchange(socket: Socket, request: string, ended: AbortSignal): Promise<Head> {
  return new Promise<Head>((resolve, reject) => {
    let head: Head | undefined;
    let start = Buffer.alloc(0);
    let read = 0;
    const end = (error?: unknown) => {
      ended.removeEventListener("abort", onEnd);
      socket.destroy();
      if (head) resolve(head);
      else reject(error ?? new Error("the receiver closed the connection without a response"));
    };
    const onEnd = () => end(ended.reason);
    ended.addEventListener("abort", onEnd, { once: true });
    socket.once("close", () => end());
    socket.on("error", end);
    socket.on("data", (chunk: Buffer) => {
      read += chunk.length;
      if (!head) {
        start = Buffer.concat([start, chunk]);
        try {
          head = headIn(start);
        } catch (error) {
          return end(error);
        }
      }
      if (read > MAX_READ_BYTES) end();
    });
    socket.write(request);
    if (ended.aborted) onEnd();
  });
}

const END_OF_HEAD = "\r\n\r\n";

/** Undefined until the head is complete. Interim responses (1xx) are skipped. */
function headIn(bytes: Buffer): Head | undefined {
  for (let at = 0; ; ) {
    const end = bytes.indexOf(END_OF_HEAD, at);
    if (end < 0 && bytes.length > MAX_HEAD_BYTES) throw new Error("the response has a huge head");
    if (end < 0) return undefined;
    const [first = "", ...lines] = bytes.toString("latin1", at, end).split("\r\n");
    const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1];
    if (status === undefined) throw new Error("the response is not HTTP/1.1");
    const retryAfter = lines.map((line) => /^retry-after:\s*(.*?)\s*$/i.exec(line)?.[1]);
    if (!status.startsWith("1")) {
      return { status: Number(status), retryAfter: retryAfter.find((one) => one !== undefined) };
    }
    at = end + END_OF_HEAD.length;
  }
}

/** What waits for `ended`, whether or not the work can be cancelled. */
function orEnd<T>(work: Promise<T>, ended: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onEnd = () => reject(ended.reason);
  ended.addEventListener("abort", onEnd, { once: true });
  return Promise.race([work, promise]).finally(() => ended.removeEventListener("abort", onEnd));
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the receiver reset the connection",
  EHOSTUNREACH: "the host is unreachable",
  ENETUNREACH: "the network is unreachable",
  ENOTFOUND: "the name does not exist",
  ENODATA: "the name has no address",
  EAI_AGAIN: "the name cannot be resolved at the moment",
  ETIMEDOUT: "the connection timed out",
};

function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenUrl) return error.message;
  const { code, message } = error as { code?: unknown; message?: string };
  return REASONS[String(code).replace(/^DNS_/, "")] ?? message ?? String(error);
}
