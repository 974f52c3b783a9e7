/** Thousands of hostile requests to a real server: each is handled correctly, refused or closed, and none does harm. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { refusalStatuses } from "../../docs/refusals.ts";
import { TITLE } from "../../properties/histories.ts";
import { SEED } from "../../support/chance.ts";
import { startServerProcess } from "../../support/process.ts";
import { checkReply } from "../../support/replies.ts";
import { scaled } from "../../support/scale.ts";
import { until } from "../../support/state.ts";
import { JSON_API, makeKey, startWorld, type World } from "../../support/world.ts";
import { type Answered, hostileRequest, type Surroundings, send, sendSlowly } from "./caller.ts";
import type { HostileRequest } from "./hostile-requests.ts";
import { complaintAbout, isOurs, type Rules } from "./judge.ts";
import { cursorsOf, recordsOf, SHARDS } from "./world.ts";

const COUNT = scaled(10_000);
const WARM_UP = scaled(2000);
const WITH_PROFILE = scaled(2000);
const SLOW_CALLERS = 24;
/** How far memory may grow after the warm-up. */
const GROWTH_MIB = 16 + scaled(48);

type ServerProcess = Awaited<ReturnType<typeof startServerProcess>>;

let world: World;
let slow: string;
let cursors: string[];

beforeAll(async () => {
  world = await startWorld(SHARDS.flatMap(recordsOf), { "title-id": TITLE });
  cursors = await cursorsOf(world);
  slow = (await makeKey(world, { name: "slow", rate: 1 })).key;
});
afterAll(() => world.stop());

function startServer(...flags: string[]): Promise<ServerProcess> {
  const quietly = ["--rate", "1000000", "--log-level", "error"];
  // All requests come from one IP address, and most have no valid key.
  quietly.push("--open-requests-per-minute", "0");
  return startServerProcess(["--data", world.data, ...quietly, ...flags]);
}

const surroundingsOf = ({ url }: ServerProcess): Surroundings => ({
  ...{ host: new URL(url).host, key: world.key, slow, cursors },
});

/** Names a request so that it can be reproduced. */
const nameOf = (number: number, { kind, bytes }: HostileRequest) =>
  `request ${number} of HOSTILE_SEED=${SEED} (${kind}): ${bytes.toString("latin1").slice(0, 300)}`;

/** Collects complaints and response statuses. */
class Findings {
  readonly troubles: string[] = [];
  readonly ours = new Map<number, number>();
  readonly theirs = new Map<number, number>();

  constructor(private readonly rules: Rules) {}

  add({ number, request, exchange }: Answered): void {
    const complaint = complaintAbout(request, exchange, this.rules);
    if (complaint !== undefined) this.troubles.push(`${nameOf(number, request)}\n→ ${complaint}`);
    for (const reply of exchange.replies) {
      const counts = isOurs(reply) ? this.ours : this.theirs;
      counts.set(reply.status, (counts.get(reply.status) ?? 0) + 1);
    }
  }
}

/** Checks that an ordinary request gets a correct response. */
async function expectService(url: string): Promise<void> {
  const path = "/shards/na/matches?page[limit]=2&filter[createdAt-start]=2024-01-01T00:00:00Z";
  const headers = { Authorization: `Bearer ${world.key}`, Accept: JSON_API };
  const response = await fetch(url + path, { headers });
  const text = await response.text();
  checkReply({ method: "GET", path, status: response.status, headers: response.headers, text });
  expect(response.status).toBe(200);
  expect(JSON.parse(text).data).toHaveLength(2);
}

/** Only Linux reports the memory of a process. */
const TELLS_MEMORY = existsSync("/proc/self/status");

function residentMib({ child }: ServerProcess): number {
  if (!TELLS_MEMORY) return Number.NaN;
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) / 1024;
}

/** Requests with complete heads, to be sent byte by byte. */
function slowRequests(around: Surroundings): HostileRequest[] {
  const found: HostileRequest[] = [];
  for (let number = COUNT; found.length < SLOW_CALLERS; number++) {
    const request = hostileRequest(number, around);
    if (request.afterwards !== "keep" || request.mayBeSilent) continue;
    // After the response, the connection may stay idle for longer than the server's idle timeout.
    found.push({ ...request, afterwards: "drop" });
  }
  return found;
}

describe(`${COUNT} hostile requests (HOSTILE_SEED=${SEED})`, () => {
  const findings = new Findings({ refusals: refusalStatuses(), hasProfile: false });
  const slowTroubles: string[] = [];
  let server: ServerProcess;
  let warm: number;

  beforeAll(async () => {
    server = await startServer();
    const around = surroundingsOf(server);
    await send(server.url, { from: 0, to: WARM_UP }, around, (one) => findings.add(one));
    warm = residentMib(server);

    const slow = slowRequests(around).map(async (request) => {
      const exchange = await sendSlowly(server.url, request);
      const complaint = complaintAbout(request, exchange, {
        refusals: refusalStatuses(),
        hasProfile: false,
      });
      if (complaint) slowTroubles.push(`${nameOf(0, request)}\n→ ${complaint}`);
    });
    await send(server.url, { from: WARM_UP, to: COUNT }, around, (one) => findings.add(one));
    await Promise.all(slow);
  });
  afterAll(async () => {
    await server.end();
  });

  test("each get a document, a refusal by the runtime or a close: no failure, no hang", () => {
    expect(findings.troubles.slice(0, 5)).toEqual([]);
  });

  test("get a response even when their bytes arrive one by one", () => {
    expect(slowTroubles).toEqual([]);
  });

  test("reach every stage: all these statuses occur", () => {
    // A position of the change feed that has expired gets 410: few requests have one.
    const met = [...findings.ours.keys()].filter((status) => status !== 410).sort();
    expect(met).toEqual([200, 204, 304, 400, 401, 404, 405, 406, 414, 429]);
    expect([...findings.theirs.keys()].sort()).toEqual([...refusalStatuses()].sort());
    for (const status of [200, 400, 404]) {
      expect(findings.ours.get(status)).toBeGreaterThan(COUNT / 50);
    }
  });

  // On a busy machine, the garbage of many requests is collected late: it falls back, what leaks does not.
  test.skipIf(!TELLS_MEMORY)(
    `grow the server's memory by less than ${GROWTH_MIB} MiB after the first ${WARM_UP}`,
    () =>
      until(`the memory falls below ${Math.round(warm)} + ${GROWTH_MIB} MiB`, async () => {
        const growth = residentMib(server) - warm;
        if (growth >= GROWTH_MIB) await expectService(server.url);
        return growth < GROWTH_MIB;
      }),
  );

  test("leave the server working as before, and its log without a failure", async () => {
    await expectService(server.url);
    expect(await server.end()).toBe(0);
    expect(await new Response(server.child.stderr).text()).toBe("");
  });
});

test("a server with a compatibility profile withstands them as well", async () => {
  const server = await startServer("--compat", "gamelocker");
  const findings = new Findings({ refusals: refusalStatuses(), hasProfile: true });
  const numbers = { from: COUNT * 2, to: COUNT * 2 + WITH_PROFILE };
  await send(server.url, numbers, surroundingsOf(server), (one) => findings.add(one));
  expect(await server.end()).toBe(0);
  expect(await new Response(server.child.stderr).text()).toBe("");
  expect(findings.troubles.slice(0, 5)).toEqual([]);
  expect(findings.ours.get(200)).toBeGreaterThan(WITH_PROFILE / 20);
});
