/** Starting without the primary, and the reporting of replica changes. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { postgresRows } from "../support/engine-postgres.ts";
import { matchbook } from "../support/process.ts";
import {
  PASSWORD,
  type Replicated,
  type ReplicatedServer,
  served,
  startReplicated,
  takesInAndServes,
  whileReplicaIsRead,
} from "../support/replicated.ts";
import { testLong } from "../support/scale.ts";
import { until } from "../support/state.ts";

let pair: Replicated;

beforeAll(async () => {
  pair = await startReplicated();
});
afterAll(() => pair.remove());

const changes = ({ events }: ReplicatedServer) =>
  events.filter(({ event }) => event.startsWith("replica-"));

const answers = (server: ReplicatedServer, at: number, status: number) =>
  until(`the server answers ${status}`, async () => (await server.get(at)) === status);

test("a server that starts while the primary is unavailable reads from the replica, and writes when it is back", async () => {
  const shard = await pair.shard(5);
  await pair.primary.stop("immediate");
  let server: ReplicatedServer;
  try {
    server = await shard.serve();
    const known = await served(server.get, 0);
    const na = await whileReplicaIsRead(server, async () => (await server.status()).shards[0]);
    expect(await server.get(known)).toBe(200);
    expect(na).toMatchObject({ id: "na", available: true, replicas: { listed: 1, inUse: 1 } });
  } finally {
    await pair.primary.start();
  }
  await takesInAndServes(pair, server);
  await server.stop();
});

test("a server that starts without either responds with 503, then uses whichever is back first", async () => {
  const shard = await pair.shard(5);
  await pair.primary.stop("immediate");
  await pair.replica.stop("immediate");
  const server = await shard.serve();
  try {
    expect(await server.get(0)).toBe(503);
    const [na] = (await server.status()).shards;
    expect(na).toMatchObject({ available: false, replicas: { listed: 1, inUse: 0 } });
    expect(await server.replicaMetric()).toBe(0);
    // However often it was retried.
    expect(changes(server).map(({ event }) => event)).toEqual(["replica-excluded"]);
    await pair.replica.start();
    await until("a match is served from the replica", async () => {
      for (let at = 0; at < 20; at++) if ((await server.get(at)) === 200) return true;
      return undefined;
    });
    await until("the replica is in use", async () => (await server.replicaMetric()) === 1);
  } finally {
    await pair.primary.start();
  }
  await server.stop();
});

testLong("a replica whose format is too old to be read is not used", async () => {
  const shard = await pair.shard(5);
  const sql = new SQL({ url: pair.primary.url, max: 1 });
  await postgresRows(sql, shard.schema).changeFormat(() => 1);
  await sql.close();
  await pair.caughtUp();
  await pair.primary.stop("immediate");
  try {
    const server = await shard.serve();
    expect(await server.get(0)).toBe(503);
    await until("the replica is left out", () => {
      const last = changes(server).at(-1);
      return last?.event === "replica-excluded" && last.why.includes("development version")
        ? true
        : undefined;
    });
    expect(await server.get(0)).toBe(503);
    await server.stop();
  } finally {
    await pair.primary.start();
  }
});

test("each change of a replica is reported once: in the log, the metrics and /status, without secrets", async () => {
  const server = await (await pair.shard(5)).serve();
  const known = await served(server.get, 0);
  await until("the replica is in use", async () => (await server.replicaMetric()) === 1);
  expect(changes(server)).toContainEqual({ event: "replica-included", shard: "na", replica: 1 });
  await pair.replica.stop("immediate");
  await answers(server, known, 200);
  await until(
    "the replica is left out",
    () => changes(server).at(-1)?.event === "replica-excluded",
  );
  // It is checked every second and on every scrape; only changes are reported.
  expect(await server.replicaMetric()).toBe(0);
  expect((await server.status()).shards[0].replicas).toEqual({ listed: 1, inUse: 0 });
  await pair.replica.start();
  await until("the replica is in use again", async () => (await server.replicaMetric()) === 1);
  const events = changes(server).map(({ event }) => event);
  expect(events.filter((event, at) => event === events[at - 1])).toEqual([]);
  expect(events.at(-1)).toBe("replica-included");
  expect(JSON.stringify(server.events)).not.toContain(PASSWORD);
  expect(JSON.stringify(await server.status())).not.toContain("127.0.0.1");
  const { configFile } = server;
  const { stdout } = await matchbook(["status", "--config", configFile]);
  expect(stdout).toMatch(/REPLICAS.*\n.*1 of 1/);
  const { na } = JSON.parse((await matchbook(["status", "--json", "--config", configFile])).stdout);
  expect(na.replicas).toEqual({ listed: 1, inUse: 1 });
  await server.stop();
});
