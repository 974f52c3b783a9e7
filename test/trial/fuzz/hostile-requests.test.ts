/** Thousands of hostile requests to a real server: each is handled correctly, refused or closed, and none does harm. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { refusalStatuses } from "../../docs/refusals.ts";
import { TITLE } from "../../properties/histories.ts";
import { Chance, SEED } from "../../support/chance.ts";
import { Connection, type Exchange } from "../../support/connection.ts";
import { startServerProcess } from "../../support/process.ts";
import { scaled } from "../../support/scale.ts";
import { until } from "../../support/state.ts";
import { makeKey, startWorld, type World } from "../../support/world.ts";
import { type HostileRequest, hostileRequestBy } from "./hostile-requests.ts";
import { complaintAbout, isOurs } from "./judge.ts";
import { HOST, KEY, SLOW_KEY } from "./request-grammar.ts";
import { Wire } from "./wire.ts";
import { cursorsOf, recordsOf, SHARDS } from "./world.ts";

const COUNT = scaled(10_000);
const WARM_UP = scaled(2000);
const AT_A_TIME = 16;
const SLOW_CALLERS = 24;
/** How far memory may grow after the warm-up. */
const GROWTH_MIB = 16 + scaled(48);

let world: World;
let server: Awaited<ReturnType<typeof startServerProcess>>;
/** A key that may send one request a minute. */
let slow: string;
let cursors: string[];

beforeAll(async () => {
  world = await startWorld(SHARDS.flatMap(recordsOf), { "title-id": TITLE });
  cursors = await cursorsOf(world);
  slow = (await makeKey(world, { name: "slow", rate: 1 })).key;
  // All requests come from one IP address, and most have no valid key.
  const limits = ["--rate", "1000000", "--open-requests-per-minute", "0"];
  server = await startServerProcess(["--data", world.data, ...limits, "--log-level", "error"]);
});
afterAll(() => world.stop());

/** The same number gives the same request. */
function hostileRequest(number: number): HostileRequest {
  const { bytes, ...rest } = hostileRequestBy(new Chance(SEED, number), cursors);
  const text = bytes
    .toString("latin1")
    .replaceAll(SLOW_KEY, slow)
    .replaceAll(KEY, world.key)
    .replaceAll(HOST, new URL(server.url).host);
  return { ...rest, bytes: Buffer.from(text, "latin1") };
}

const troubles: string[] = [];
/** How often each status was sent by our code, and by the runtime. */
const statuses = { ours: new Map<number, number>(), theirs: new Map<number, number>() };

function judge(number: number, request: HostileRequest, exchange: Exchange): void {
  const rules = { refusals: refusalStatuses(), hasProfile: false };
  const complaint = complaintAbout(request, exchange, rules);
  const shown = request.bytes.toString("latin1").slice(0, 300);
  if (complaint !== undefined) {
    troubles.push(
      `request ${number} of HOSTILE_SEED=${SEED} (${request.kind}): ${shown}\n→ ${complaint}`,
    );
  }
  for (const reply of exchange.replies) {
    const counts = statuses[isOurs(reply) ? "ours" : "theirs"];
    counts.set(reply.status, (counts.get(reply.status) ?? 0) + 1);
  }
}

/** Sends the requests with these numbers: several at a time, over reused connections. */
async function send(from: number, to: number): Promise<void> {
  let next = from;
  const call = async () => {
    const wire = new Wire(server.url);
    while (next < to) {
      const number = next++;
      const request = hostileRequest(number);
      judge(number, request, await wire.send(request));
    }
    wire.close();
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, call));
}

/** The server closes a connection whose request head is not complete after this time. */
const HEAD_MS = 10_000;

/** Sends a request byte by byte, and again if the machine was too busy to do that in time. */
async function sendSlowly(request: HostileRequest): Promise<Exchange> {
  for (;;) {
    const began = performance.now();
    const connection = await Connection.open(server.url);
    connection.expect(request.methods);
    for (const byte of request.bytes) await connection.write(Buffer.of(byte));
    const exchange = await connection.replies(false);
    connection.close();
    const isInTime = performance.now() - began < HEAD_MS;
    if (exchange.replies.length > 0 || exchange.isHung || isInTime) return exchange;
  }
}

/** Requests with complete heads, to be sent byte by byte. */
function slowRequests(): HostileRequest[] {
  const found: HostileRequest[] = [];
  for (let number = COUNT; found.length < SLOW_CALLERS; number++) {
    const request = hostileRequest(number);
    if (request.afterwards !== "keep" || request.mayBeSilent) continue;
    // After the response, the connection may stay idle for longer than the server's idle timeout.
    found.push({ ...request, afterwards: "drop" });
  }
  return found;
}

/** Only Linux reports the memory of a process. */
function residentMib(): number {
  const file = `/proc/${server.child.pid}/status`;
  if (!existsSync(file)) return 0;
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(file, "utf8"))![1]) / 1024;
}

test(`${COUNT} hostile requests, some byte by byte, get right responses, refusals or a close, and do no harm`, async () => {
  await send(0, WARM_UP);
  const warm = residentMib();
  const others = slowRequests().map(async (one) => judge(COUNT, one, await sendSlowly(one)));
  await send(WARM_UP, COUNT);
  await Promise.all(others);

  // They reach every stage. A position of the change feed that has expired gets 410: few requests have one.
  const met = () => [...statuses.ours.keys()].filter((status) => status !== 410).sort();
  const all = [200, 204, 304, 400, 401, 404, 405, 406, 414, 429];
  for (let at = COUNT + 1; met().length < all.length && at < 5 * COUNT; at += 50)
    await send(at, at + 50);
  expect(troubles.slice(0, 5)).toEqual([]);
  expect(met()).toEqual(all);
  expect([...statuses.theirs.keys()].sort()).toEqual([...refusalStatuses()].sort());
  for (const status of [200, 400, 404]) {
    expect(statuses.ours.get(status)).toBeGreaterThan(COUNT / 50);
  }

  // On a busy machine, the garbage of many requests is collected late: it falls back, what leaks does not.
  await until(`the memory falls below ${Math.round(warm)} + ${GROWTH_MIB} MiB`, async () => {
    const { status } = await fetch(`${server.url}/healthz`);
    return status === 200 && residentMib() - warm < GROWTH_MIB;
  });
  expect(await server.end()).toBe(0);
  expect(await new Response(server.child.stderr).text()).toBe("");
}, 600_000);
