/** Tests limits across several workers: each key has one of each kind, whichever worker responds. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ndjson } from "../support/admin.ts";
import type { Connection } from "../support/connection.ts";
import { awayFromMidnight } from "../support/midnight.ts";
import { matchbook } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { sharedFolder } from "../support/shared.ts";
import { until } from "../support/state.ts";
import { linesToBoth, requestOnce, startWorkers } from "../support/workers.ts";
import { JSON_API } from "../support/world.ts";

// Several processes may share a slow machine.
await awayFromMidnight();

const folder = sharedFolder();
const data = join(folder, "data");
const matches = Array.from({ length: 40 }, (_, at) => aMatch({ id: `match-${at}` }));

await matchbook(["ingest", "-", "--data", data], { stdin: ndjson(matches) });

async function aKey(...flags: string[]): Promise<Record<string, string>> {
  const made = await matchbook(["keys", "create", "--name", "one", "--data", data, ...flags]);
  return { Authorization: `Bearer ${made.stdout.trim()}`, Accept: JSON_API };
}

const start = (...flags: string[]) =>
  startWorkers(["--workers", "2", "--data", data, "--drain-ms", "0", ...flags]);

const count = <T>(things: readonly T[], wanted: T) => things.filter((one) => one === wanted).length;

describe("the rate limit of a key", () => {
  // One token a minute is refilled: none during these tests.
  let first: Record<string, string>;
  let second: Record<string, string>;
  let server: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    first = await aKey("--rate", "1", "--burst", "50");
    second = await aKey("--rate", "1", "--burst", "5");
    server = await start();
  });
  afterAll(() => server.end());

  test("is shared by both workers: of 180 requests, most of them at once, exactly as many pass as the bucket has tokens", async () => {
    const lines = await linesToBoth(server.url);
    const ask = async (line: Connection) =>
      (await line.ask("/shards/na/matches/match-0", first)).status;
    // One worker may be faster than the other. So that both use the bucket, each first takes some of its tokens.
    for (const [line] of lines) {
      for (let time = 0; time < 10; time++) expect(await ask(line!)).toBe(200);
    }
    const statuses: number[] = [];
    await Promise.all(
      lines.flat().map(async (line) => {
        for (let time = 0; time < 4; time++) statuses.push(await ask(line));
      }),
    );
    expect([count(statuses, 200), count(statuses, 429)]).toEqual([30, 130]);
    for (const line of lines.flat()) line.close();
    await until("the log has lines of both workers", () => {
      const lines = server.log.filter(({ event, status }) => event === "request" && status === 200);
      return new Set(lines.map(({ worker }) => worker)).size === 2;
    });
  });

  test("is kept when a worker is killed and replaced", async () => {
    const ready = await server.events("worker-ready", 2);
    const requestAgain = () => requestOnce(server.url, "/shards/na/matches/match-0", second);
    for (let time = 0; time < 5; time++) expect((await requestAgain()).status).toBe(200);
    for (const { pid } of ready) process.kill(pid, "SIGKILL");
    await server.events("worker-ready", ready.length + 2);
    expect((await requestAgain()).status).toBe(429);
  });
});

describe("the daily quota of a key", () => {
  test("is shared by both workers once their counts are merged, and survives a restart", async () => {
    const headers = await aKey("--rate", "1000000", "--matches-per-day", "20");
    const first = await start();
    /** Requests matches one by one; the processes that responded. */
    const ask = async (from: number, to: number, status: number) => {
      const processes = new Set<string | undefined>();
      for (let at = from; at < to; at++) {
        const response = await requestOnce(first.url, `/shards/na/matches/match-${at}`, headers);
        expect([at, response.status]).toEqual([at, status]);
        processes.add(response.process);
      }
      expect(processes.size).toBe(2);
    };
    await ask(0, 20, 200);
    const informed = new Set<string | undefined>();
    await until("both workers to have joined their counts", async () => {
      const { body, process } = await requestOnce(first.url, "/usage", headers);
      const { matches, matchesLeft } = body.today;
      const counts = [matches, matchesLeft, body.days[0]?.records];
      if (counts.join() === "20,0,20") informed.add(process);
      return informed.size === 2;
    });
    await ask(0, 20, 200);
    await ask(20, 40, 429);
    await first.end();

    const second = await start();
    const again = await requestOnce(second.url, "/shards/na/matches/match-0", headers);
    expect(again.status).toBe(200);
    const another = await requestOnce(second.url, "/shards/na/matches/match-20", headers);
    expect([another.status, another.body.errors[0].code]).toEqual([429, "quota-exceeded"]);
    await second.end();
  });
});

test.each([
  // A twentieth of the requests may have an invalid key.
  ["invalid keys", "200", "/shards/na/matches", { Authorization: "Bearer wrong" }, 401],
  ["requests without a key", "10", "/status", {}, 200],
] as const)(
  "%s from one IP address are counted across both workers",
  async (_, limit, path, headers, status) => {
    const server = await start("--open-requests-per-minute", limit);
    const responses = await Promise.all(
      Array.from({ length: 40 }, () => requestOnce(server.url, path, { ...headers })),
    );
    const statuses = responses.map((response) => response.status);
    expect(new Set(responses.map(({ process }) => process)).size).toBe(2);
    expect(count(statuses, status) + count(statuses, 429)).toBe(40);
    // One more is allowed every six seconds.
    expect(count(statuses, status)).toBeWithin(10, 20);
    await server.end();
  },
);

test("portal visitors have tokens that every worker accepts, one limit by address, and their usage together", async () => {
  const config = join(folder, "matchbook.toml");
  writeFileSync(config, "[tiers.visitor]\nrate = 1\nburst = 30\n");
  const server = await start("--config", config, "--portal-visitors", "on");
  const tokens = new Map<string | undefined, string>();
  await until("both workers to give a token", async () => {
    const { process, body } = await requestOnce(server.url, "/portal/visitor-token");
    tokens.set(process, body.token);
    return tokens.size === 2;
  });
  const [token] = tokens.values();
  const headers = { Authorization: `Bearer ${token}`, Accept: JSON_API };
  const answers = await Promise.all(
    Array.from({ length: 60 }, () =>
      requestOnce(server.url, "/shards/na/matches/match-0", headers),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  expect([count(statuses, 200), count(statuses, 429)]).toEqual([30, 30]);
  expect(new Set(answers.map(({ process }) => process)).size).toBe(2);
  await server.end();

  const list = await matchbook(["keys", "list", "--json", "--data", data]);
  expect(list.stderr).toContain("Portal visitors have sent 60 requests today.");
});
