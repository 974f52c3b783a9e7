/** What the scheduled verify finds is stored with the shard, and every process goes by it. */

import { describe, expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "../../src/observe/events.ts";
import type { Transaction } from "../../src/store/store.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { ENGINES, engineWorlds } from "../support/engine-worlds.ts";
import { type Instance, startInstance } from "../support/instances.ts";
import { matchbookAt } from "../support/places.ts";
import { startServerProcess } from "../support/process.ts";
import { withWriter } from "../support/prune.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { startWorld, type World } from "../support/world.ts";

const NOW = Date.now();
const MATCHES = Array.from({ length: 4 }, (_, at) =>
  aMatch({ id: `match-${at}`, shard: "na", mode: "casual", createdAt: NOW - at * 60_000 }),
);
const DESCRIPTORS = "/proc/self/fd";
/** So that a verify that is due begins at once. */
const PACE = { firstMs: 0, pauseMs: 50 };

const worldIn = engineWorlds();

const verdictOf = (world: World) =>
  withWriter(world.settings, "na", async (writer) => (await writer.findings()).verdict);

const statusOf = async (world: World, url: string) =>
  (await world.get(`${url}/shards/na/matches/match-3`)).status;

const setVerdict = ({ settings }: World, verdict: Parameters<Transaction["setVerdict"]>[0]) =>
  withWriter(settings, "na", (writer) => writer.write(async (one) => one.setVerdict(verdict)));

const untilVerified = ({ events }: Instance) =>
  until("it is verified", () => events.find(({ event }) => event === "shard-verified"));

describe.each(ENGINES)("in %s", (engine) => {
  test("damage that a scheduled verify finds stops the shard in every process, until a verify finds none", async () => {
    await using world = await worldIn(engine, MATCHES);
    const { data, rows } = world;
    const config = ["--config", join(data, "matchbook.toml"), "--data", data];
    const other = await startServerProcess(config);
    try {
      const { document } = (await rows.rows("match", { id: "match-1" }))[0]!;
      await rows.change("match", { id: "match-1" }, { document: new Uint8Array(100) });
      expect(await statusOf(world, world.url)).toBe(200);

      const verifying = await startInstance(world, {}, PACE);
      expect(await untilVerified(verifying)).toMatchObject({ shard: "na", damaged: 1 });
      for (const one of [verifying.url, world.url, other.url]) {
        await until("it is stopped", async () => (await statusOf(world, one)) === 503);
        const { body } = await world.get(`${one}/shards/na/matches/match-3`);
        expect(body.errors[0].code).toBe("damaged-data");
      }
      expect((await verifying.status()).shards).toMatchObject([{ id: "na", available: false }]);
      const metricOf = async (name: string) => (await verifying.metric(name))[0]!.value;
      expect(await metricOf("matchbook_shard_damaged_records")).toBe(1);
      const { at } = (await verdictOf(world))!;
      expect(await metricOf("matchbook_shard_verified_timestamp_seconds")).toBe(at / 1000);
      await verifying.stop();

      await rows.change("match", { id: "match-1" }, { document });
      await setVerdict(world, { at: Date.now(), damaged: 0, damage: [] });
      for (const one of [world.url, other.url]) {
        await until("it is served", async () => (await statusOf(world, one)) === 200);
      }
    } finally {
      await other.end();
    }
  });

  test("a shard with damage is verified again after an interval, and served if there is none", async () => {
    await using world = await worldIn(engine, MATCHES);
    const damage = [{ table: "matches", record: "match-1", detail: "" }];
    await setVerdict(world, { at: Date.now() - 25 * 3_600_000, damaged: 1, damage });
    await until("it is stopped", async () => (await statusOf(world, world.url)) === 503);
    const status = await matchbookAt(world.data, ["status"]);
    expect(status).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/^na +4 /m),
      stderr: expect.stringContaining("na: verify has found damage"),
    });
    await using _verifying = await startInstance(world, {}, PACE);
    await until("it is served", async () => (await statusOf(world, world.url)) === 200);
  });

  test("of several instances, one verifies a shard", async () => {
    await using world = await worldIn(engine, MATCHES);
    const instances = await Promise.all([1, 2, 3].map(() => startInstance(world, {}, PACE)));
    const named = (name: string) =>
      instances.flatMap(({ events }) => events.filter(({ event }) => event === name));
    await until("it is verified", () => named("shard-verified").length > 0);
    // By then the others have looked again.
    const { at } = (await verdictOf(world))!;
    for (const one of instances) await one.stop();
    expect(named("shard-verified").length).toBe(1);
    expect((await verdictOf(world))!.at).toBe(at);
    expect(named("verify-failed")).toEqual([]);
  });
});

test("a verdict that cannot be stored holds in the process that found it", async () => {
  await using world = await startWorld(MATCHES);
  const rows = sqliteRows(join(world.data, "na.db"));
  await rows.change("match", { id: "match-1" }, { document: new Uint8Array(100) });
  // No transaction can be concluded without this row.
  await rows.change("shard", {}, { checksum: 1 });
  const one = await startInstance(world, {}, PACE);
  const stored = (event: Event) => event.event === "finding-not-stored";
  await until("it is verified", async () => one.events.some(stored));
  await until(
    "it is stopped",
    async () => (await one.get("/shards/na/matches/match-3", world.key)).status === 503,
  );
  await one.stop();
});

test("verify-hours off: nothing is verified", async () => {
  await using world = await startWorld(MATCHES);
  const one = await startInstance(world, { "verify-hours": undefined }, PACE);
  const other = await startInstance(world, {}, PACE);
  await untilVerified(other);
  await one.stop();
  await other.stop();
  expect(one.events.some(({ event }) => event === "shard-verified")).toBe(false);
});

test("descriptors of a file do not add up with each verify", async () => {
  await using world = await startWorld(MATCHES, {}, undefined, "[shards.na]\n");
  const file = statSync(join(world.data, "na.db")).ino;
  const open = () =>
    readdirSync(DESCRIPTORS).filter(
      (name) => statSync(join(DESCRIPTORS, name), { throwIfNoEntry: false })?.ino === file,
    ).length;
  const counts: number[] = [];
  for (let round = 0; round < 4; round++) {
    await setVerdict(world, { at: 0, damaged: 0, damage: [] });
    const verifying = await startInstance(world, {}, PACE);
    await untilVerified(verifying);
    await verifying.stop();
    counts.push(open());
  }
  // SQLite keeps some of its own for the next connection.
  expect(counts[3]).toBe(counts[1]!);
});
