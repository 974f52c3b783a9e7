/** Tests what runs next to several workers: the admin listener, keys, metrics. That every worker sees new records is tested by the soak. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { AUTHORIZATION, ndjson, TOKEN, uploadTo } from "../support/admin.ts";
import type { Connection } from "../support/connection.ts";
import { writeDamagedShard } from "../support/damaged-shard.ts";
import { matchbook } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { readScrape, seriesValue } from "../support/scrape.ts";
import { until } from "../support/state.ts";
import { linesToBoth, startWorkers } from "../support/workers.ts";
import { aFolder, JSON_API } from "../support/world.ts";

// Several processes may share a slow machine.
const folder = aFolder();
const data = join(folder.path, "data");
let server: Awaited<ReturnType<typeof startWorkers>>;
let adminUrl: string;

beforeAll(async () => {
  const stdin = ndjson([aMatch({ id: "one" }), aMatch({ shard: "lost" })]);
  await matchbook(["ingest", "-", "--data", data], { stdin });
  writeDamagedShard(join(data, "hurt.db"));
  server = await startWorkers(
    ["--workers", "2", "--data", data, "--drain-ms", "0", "--admin-port", "0"],
    { env: { MATCHBOOK_ADMIN_TOKEN: TOKEN } },
  );
  adminUrl = await server.saying(/^admin listener on (http:\S+)\n/m);
});
afterAll(async () => {
  expect(await server.end()).toBe(0);
  folder.remove();
});

/** One connection to each worker. */
const aLineToEach = async () => (await linesToBoth(server.url, 1)).flat();

async function admin(method: string, path: string, body?: object) {
  const response = await fetch(`${adminUrl}${path}`, {
    method,
    headers: AUTHORIZATION,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) };
}

async function metric(name: string, labels: Record<string, string>): Promise<number> {
  const response = await fetch(`${adminUrl}/metrics`, { headers: AUTHORIZATION });
  return seriesValue(readScrape(await response.text()), name, labels)!;
}

const headersFor = (key: string) => ({ Authorization: `Bearer ${key}`, Accept: JSON_API });

/** Every worker notices changes of keys within about a second. */
const becomes = (lines: Connection[], key: string, status: number) =>
  until(`the key gets ${status}`, async () => {
    const request = (line: Connection) => line.ask("/shards/na/matches/one", headersFor(key));
    const replies = await Promise.all(lines.map(request));
    return replies.every((reply) => reply.status === status);
  });

test("creating or revoking a key soon takes effect on every worker", async () => {
  const lines = await aLineToEach();
  const made = await admin("POST", "/keys", { name: "fresh" });
  const { key, record } = made.body;
  await becomes(lines, key, 200);
  await admin("POST", `/keys/${record.id}/revoke`, {});
  await becomes(lines, key, 401);
  for (const line of lines) line.close();
});

test("a damaged or deleted shard is unavailable on every worker, and the others are served", async () => {
  const lines = await aLineToEach();
  const { key } = (await admin("POST", "/keys", { name: "affected", rate: 1_000_000 })).body;
  await becomes(lines, key, 200);
  const statuses = async (shard: string) => {
    const request = (line: Connection) => line.ask(`/shards/${shard}/matches`, headersFor(key));
    return (await Promise.all(lines.map(request))).map(({ status }) => status).join();
  };
  expect([await statuses("na"), await statuses("hurt")]).toEqual(["200,200", "503,503"]);
  expect(await statuses("lost")).toBe("200,200");
  for (const suffix of ["", "-wal", "-shm"])
    rmSync(join(data, `lost.db${suffix}`), { force: true });
  await until("it is unavailable", async () => (await statuses("lost")) === "503,503");
  const { status, error } = await uploadTo(adminUrl, ndjson([aMatch({ shard: "lost" })]));
  expect([status, error!.code]).toEqual([503, "shard-unavailable"]);
  // The supervisor, which reports them, looks at the files itself.
  await until("the metrics show it", async () => {
    const up = ["hurt", "lost", "na"].map((shard) => metric("matchbook_shard_up", { shard }));
    return (await Promise.all(up)).join() === "0,0,1";
  });
  for (const line of lines) line.close();
});

test("metrics cover all workers together, and never decrease when one is lost", async () => {
  const route = { route: "/shards/:shard/matches/:id", method: "GET", status: "200" };
  const requests = () => metric("matchbook_requests_total", route);
  const { key } = (await admin("POST", "/keys", { name: "counted", rate: 1_000_000 })).body;
  const request = (line: Connection) => line.ask("/shards/na/matches/one", headersFor(key));
  const lines = await aLineToEach();
  await becomes(lines, key, 200);
  const before = await requests();
  for (let time = 0; time < 10; time++) await Promise.all(lines.map(request));
  expect(await requests()).toBe(before + 20);
  const durations = { route: route.route };
  const timed = await metric("matchbook_request_duration_seconds_count", durations);
  expect(timed).toBeGreaterThanOrEqual(before + 20);
  const longest = { ...durations, le: "+Inf" };
  expect(await metric("matchbook_request_duration_seconds_bucket", longest)).toBe(timed);
  expect(await metric("matchbook_shard_up", { shard: "na" })).toBe(1);
  for (const worker of ["supervisor", "1", "2"]) {
    expect(await metric("process_resident_memory_bytes", { worker })).toBeGreaterThan(0);
  }

  const ready = await server.events("worker-ready", 2);
  process.kill(ready[1]!.pid, "SIGKILL");
  await server.events("worker-ready", 3);
  expect(await requests()).toBe(before + 20);
  const [line] = await aLineToEach();
  await request(line!);
  expect(await requests()).toBe(before + 21);
  for (const one of [...lines, line!]) one.close();
});
