/** Damage that no request can see makes a shard unavailable, in all processes and after a restart, until it is repaired. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openShards } from "../../src/open-stores.ts";
import { supervise } from "../../src/workers/supervisor.ts";
import { settle, sqliteRows } from "../support/engine-sqlite.ts";
import { type Instance, startInstance } from "../support/instances.ts";
import { ROOT } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { testLong } from "../support/scale.ts";
import { until } from "../support/state.ts";
import { JSON_API, startWorld, type World } from "../support/world.ts";

const SOON = { pauseMs: 20 };

let world: World;
beforeEach(async () => {
  world = await startWorld([aMatch({ id: "match-a", shard: "na" }), aMatch({ shard: "eu" })]);
});
afterEach(() => world.stop());

const file = () => join(world.data, "na.db");

const removeEntries = () => sqliteRows(file()).remove("player entry", { match: "match-a" });

const stateOf = async (instance: Pick<Instance, "get">) => {
  const { status, body } = await instance.get("/shards/na/matches/match-a", world.key);
  return status === 200 ? "served" : `${status} ${body.errors[0].code}`;
};

const isSoon = (state: string, instance: Pick<Instance, "get">) =>
  until(`it is ${state}`, async () => (await stateOf(instance)) === state);

test("a missing index entry is found; the shard is unavailable until a good file replaces it", async () => {
  settle(file());
  copyFileSync(file(), join(world.data, "backup"));
  const instance = await startInstance(world, {}, SOON);
  // Serves the same folder, but finds nothing itself.
  const other = await startInstance(world, {});
  expect([await stateOf(instance), await stateOf(other)]).toEqual(["served", "served"]);
  removeEntries();
  await isSoon("503 damaged-data", instance);
  await isSoon("503 damaged-data", other);

  expect((await instance.get("/shards/eu/matches", world.key)).status).toBe(200);
  const [eu, na] = (await instance.status()).shards;
  expect([eu.available, na.available]).toEqual([true, false]);
  expect((await instance.get("/readyz", world.key)).body.unavailable).toEqual(["na"]);
  const value = async (metric: string, shard: string) =>
    (await instance.metric(metric)).find(({ labels }) => labels.shard === shard)?.value;
  expect(await value("matchbook_shard_up", "na")).toBe(0);
  expect(await value("matchbook_damaged_records_total", "na")).toBeGreaterThan(0);
  await until("a pass ended", () => value("matchbook_shard_checked_timestamp_seconds", "na"));
  expect(instance.events).toContainEqual({
    event: "damaged-data",
    shard: "na",
    table: "player_matches",
    record: "match-a",
  });
  await instance.stop();
  await other.stop();

  const restarted = await startInstance(world, {});
  expect(await stateOf(restarted)).toBe("503 damaged-data");
  for (const suffix of ["-wal", "-shm"]) rmSync(`${file()}${suffix}`, { force: true });
  renameSync(join(world.data, "backup"), file());
  await isSoon("served", restarted);
  await restarted.stop();
});

test("a shard that is repaired in place is served after the next pass", async () => {
  const instance = await startInstance(world, {}, SOON);
  const restore = sqliteRows(file()).keep("player entry");
  removeEntries();
  await isSoon("503 damaged-data", instance);
  restore();
  await isSoon("served", instance);
  expect(existsSync(`${file()}.damaged`)).toBe(false);
  await instance.stop();
});

test("if that cannot be recorded beside the file, the process that found it stops to serve the shard", async () => {
  mkdirSync(`${file()}.damaged.${process.pid}`);
  const instance = await startInstance(world, {}, SOON);
  removeEntries();
  await isSoon("503 damaged-data", instance);
  expect(instance.events.map(({ event }) => event)).toContain("damage-not-recorded");
  await instance.stop();
});

test("the record of damage is not listed as a shard", async () => {
  removeEntries();
  const instance = await startInstance(world, {}, SOON);
  await isSoon("503 damaged-data", instance);
  const shards = openShards(world.settings, () => {});
  expect(await shards.list()).toEqual(["eu", "na"]);
  await shards.close();
  expect(instance.events.map(({ event }) => event)).not.toContain("file-ignored");
  await instance.stop();
});

testLong("with workers, none serves the damaged shard", async () => {
  removeEntries();
  const flags = { data: world.data, workers: 2, "log-level": "silent", rate: 1_000_000 };
  const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const command = [process.execPath, join(ROOT, "src/main.ts"), "serve", ...words];
  const settings = { ...world.settings, workers: 2 };
  const server = await supervise(settings, () => {}, command, undefined, SOON);
  const headers = { Authorization: `Bearer ${world.key}`, Accept: JSON_API, Connection: "close" };
  const get = async (path: string) => {
    const response = await fetch(`${server.url}${path}`, { headers });
    return { status: response.status, milliseconds: 0, body: await response.json() };
  };
  // Each connection may reach another worker.
  await until("no worker serves it", async () => {
    const states = await Promise.all(Array.from({ length: 16 }, () => stateOf({ get })));
    return states.every((state) => state === "503 damaged-data");
  });
  expect((await get("/shards/eu/matches")).status).toBe(200);
  await server.stop("test");
});
