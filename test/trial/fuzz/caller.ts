/** Sends hostile requests: several at a time, over reused connections. */

import { Chance, SEED } from "../../support/chance.ts";
import { Connection, type Exchange } from "../../support/connection.ts";
import { type HostileRequest, hostileRequestBy } from "./hostile-requests.ts";
import { HOST, KEY, SLOW_KEY } from "./request-grammar.ts";

/** What the stand-ins of generated requests are, and cursors of real responses. */
export interface Surroundings {
  host: string;
  key: string;
  /** A key that may send one request a minute. */
  slow: string;
  cursors: readonly string[];
}

/** A hostile request to this server; the same numbers give the same one. */
export function hostileRequest(number: number, around: Surroundings): HostileRequest {
  const { bytes, ...rest } = hostileRequestBy(new Chance(SEED, number), around.cursors);
  const text = bytes
    .toString("latin1")
    .replaceAll(SLOW_KEY, around.slow)
    .replaceAll(KEY, around.key)
    .replaceAll(HOST, around.host);
  return { ...rest, bytes: Buffer.from(text, "latin1") };
}

const AT_A_TIME = 16;

export interface Answered {
  number: number;
  request: HostileRequest;
  exchange: Exchange;
}

/** Sends the requests with these numbers and reports every exchange. */
export async function send(
  url: string,
  numbers: { from: number; to: number },
  around: Surroundings,
  onAnswer: (answered: Answered) => void | Promise<void>,
): Promise<void> {
  let next = numbers.from;
  const call = async () => {
    let connection: Connection | undefined;
    while (next < numbers.to) {
      const number = next++;
      const request = hostileRequest(number, around);
      connection ??= await Connection.open(url);
      const exchange = await exchangeOver(connection, request);
      if (request.afterwards !== "keep" || isOver(exchange)) {
        connection.close();
        connection = undefined;
      }
      await onAnswer({ number, request, exchange });
    }
    connection?.close();
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, call));
}

/** A connection must not be reused once its close was announced. */
function isOver({ replies, isClosed, isHung }: Exchange): boolean {
  return isClosed || isHung || replies.some(({ headers }) => headers.get("connection") === "close");
}

async function exchangeOver(connection: Connection, request: HostileRequest): Promise<Exchange> {
  const { bytes, methods, afterwards } = request;
  connection.expect(methods);
  await connection.write(bytes);
  if (afterwards === "end") connection.finish();
  return connection.replies(afterwards === "end");
}

/** The server closes a connection whose request head is not complete after this time. */
const HEAD_MS = 10_000;

/** Sends a request byte by byte, and again if the machine was too busy to do that in time. */
export async function sendSlowly(url: string, request: HostileRequest): Promise<Exchange> {
  for (;;) {
    const began = performance.now();
    const connection = await Connection.open(url);
    connection.expect(request.methods);
    for (let at = 0; at < request.bytes.length; at++) {
      await connection.write(request.bytes.subarray(at, at + 1));
    }
    const exchange = await connection.replies(false);
    connection.close();
    const took = performance.now() - began;
    if (exchange.replies.length > 0 || exchange.isHung || took < HEAD_MS) return exchange;
  }
}
