/** Sends one request to a receiver. The runtime's client connects only to addresses that were checked, and uses no proxy. */

import { request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { isIP } from "node:net";
import { version } from "../../../package.json";
import { checkHookUrl, ForbiddenUrl, hostOf, resolveHookUrl } from "./allowed-url.ts";

/** What became of a request. `result` is for operators, and short. */
export interface SendOutcome {
  kind: "delivered" | "gone" | "failed";
  result: string;
  /** What the receiver asks for; 0 if it does not. */
  retryAfterMs: number;
}

export const TIMEOUT_MS = 15_000;
const MAX_HEAD_BYTES = 16 * 1024;
/** More of a response is not read. */
const MAX_READ_BYTES = 64 * 1024;
const LONGEST_RESULT = 200;
/** Errors may quote what a receiver sent, and results are shown on terminals. */
const NOT_PRINTABLE = /[^\x20-\x7e]/g;
const GONE = 410;

/** Never throws. `signal` stops waiting, e.g. because the server stops. */
export async function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  options: { allowPrivate: boolean; signal: AbortSignal; timeoutMs?: number },
): Promise<SendOutcome> {
  const { allowPrivate, signal, timeoutMs = TIMEOUT_MS } = options;
  const expired = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any([signal, expired]);
  try {
    const target = new URL(url);
    checkHookUrl(target, allowPrivate);
    return outcomeOf(await exchange(target, allowPrivate, headers, body, ended));
  } catch (error) {
    const reason = expired.aborted ? `no response within ${timeoutMs / 1000} s` : reasonOf(error);
    const result = reason.slice(0, LONGEST_RESULT).replace(NOT_PRINTABLE, "?");
    return { kind: "failed", result, retryAfterMs: 0 };
  }
}

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

/** Resolves with the head when the response is complete, long enough, or cut off, or the time is over. */
function exchange(
  url: URL,
  allowPrivate: boolean,
  headers: Readonly<Record<string, string>>,
  body: string,
  ended: AbortSignal,
): Promise<Head> {
  const host = hostOf(url);
  const { promise, resolve, reject } = Promise.withResolvers<Head>();
  let head: Head | undefined;
  const sent = (url.protocol === "https:" ? requestTls : requestPlain)({
    host,
    port: url.port,
    // Only for names. If the first address does not respond, the runtime tries the others.
    lookup: (_host, _options, use) => {
      resolveHookUrl(url, allowPrivate).then(
        (found) => use(null, found),
        (error) => use(error, []),
      );
    },
    // The certificate must be for the name, although the connection goes to an address.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    agent: false,
    method: "POST",
    path: url.pathname + url.search,
    maxHeaderSize: MAX_HEAD_BYTES,
    headers: {
      Host: url.host,
      "User-Agent": `Matchbook/${version}`,
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
      Connection: "close",
      ...headers,
    },
  });
  const end = (error: unknown = new Error(CLOSED)) => {
    ended.removeEventListener("abort", onEnd);
    sent.destroy();
    if (head) resolve(head);
    else reject(error);
  };
  const onEnd = () => end(ended.reason);
  ended.addEventListener("abort", onEnd, { once: true });
  sent.once("response", (response) => {
    head = { status: response.statusCode!, retryAfter: response.headers["retry-after"] };
    response.on("data", () => {
      if (response.socket.bytesRead > MAX_READ_BYTES) end();
    });
    response.once("end", () => end());
    response.on("error", end);
  });
  sent.once("close", () => end());
  sent.on("error", end);
  sent.end(body);
  if (ended.aborted) onEnd();
  return promise;
}

const CLOSED = "the receiver closed the connection without a response";

const REASONS: Record<string, string> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: CLOSED,
  EHOSTUNREACH: "the host is unreachable",
  ENETUNREACH: "the network is unreachable",
  ENOTFOUND: "the name does not exist",
  ENODATA: "the name has no address",
  EAI_AGAIN: "the name cannot be resolved at the moment",
  ETIMEDOUT: "the connection timed out",
  HPE_HEADER_OVERFLOW: "the response has a huge head",
};

function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenUrl) return error.message;
  const { code, message } = error as { code?: unknown; message?: string };
  const known = REASONS[String(code).replace(/^DNS_/, "")];
  if (known !== undefined) return known;
  // The other errors of the parser.
  if (String(code).startsWith("HPE_")) return "the response is not valid HTTP/1.1";
  return message ?? String(error);
}
