/** What the scheduled verify finds is stored with the shard, and every process goes by it. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import type { Event } from "../../src/observe/events.ts";
import { postgresRows } from "../support/engine-postgres.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { startInstance } from "../support/instances.ts";
import { aPostgres, dropSchema } from "../support/postgres.ts";
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

let postgres: Awaited<ReturnType<typeof aPostgres>>;
beforeAll(async () => {
  postgres = await aPostgres();
});
afterAll(() => postgres.stop());

const verdictOf = (world: World) =>
  withWriter(world.settings, "na", async (writer) => (await writer.findings()).verdict);

const statusOf = async (world: World, url: string) =>
  (await world.get(`${url}/shards/na/matches/match-3`)).status;

describe.each(["SQLite", "PostgreSQL"])("in %s", (engine) => {
  const schema = `verdict_${process.pid}`;

  test("damage that a scheduled verify finds stops the shard in every process, until a verify finds none", async () => {
    const toml = `[shards.na]\n${engine === "SQLite" ? "" : `url = "${postgres.url}?schema=${schema}"\n`}`;
    const world = await startWorld(MATCHES, {}, undefined, toml);
    const sql = new SQL(postgres.url);
    const other = await startServerProcess([
      "--config",
      join(world.data, "matchbook.toml"),
      "--data",
      world.data,
    ]);
    const rows =
      engine === "SQLite" ? sqliteRows(join(world.data, "na.db")) : postgresRows(sql, schema);
    try {
      const { document } = (await rows.rows("match", { id: "match-1" }))[0]!;
      await rows.change("match", { id: "match-1" }, { document: new Uint8Array(100) });
      expect(await statusOf(world, world.url)).toBe(200);

      const verifying = await startInstance(world, {}, PACE);
      await until("it is verified", async () =>
        verifying.events.some(({ event }) => event === "shard-verified"),
      );
      expect(verifying.events).toContainEqual(
        expect.objectContaining({ event: "shard-verified", shard: "na", damaged: 1 }),
      );
      for (const one of [verifying.url, world.url, other.url]) {
        await until("it is stopped", async () => (await statusOf(world, one)) === 503);
        const { body } = await world.get(`${one}/shards/na/matches/match-3`);
        expect(body.errors[0].code).toBe("damaged-data");
      }
      expect((await verifying.status()).shards).toMatchObject([{ id: "na", available: false }]);
      expect(await verifying.metric("matchbook_shard_damaged_records")).toMatchObject([
        { value: 1 },
      ]);
      const { at } = (await verdictOf(world))!;
      expect(await verifying.metric("matchbook_shard_verified_timestamp_seconds")).toMatchObject([
        { value: at / 1000 },
      ]);
      await verifying.stop();

      await rows.change("match", { id: "match-1" }, { document });
      await withWriter(world.settings, "na", (writer) =>
        writer.write(async (one) => one.setVerdict({ at: Date.now(), damaged: 0, damage: [] })),
      );
      for (const one of [world.url, other.url]) {
        await until("it is served", async () => (await statusOf(world, one)) === 200);
      }
    } finally {
      await other.end();
      await world.stop();
      await sql.close();
      if (engine === "PostgreSQL") await dropSchema(postgres.url, schema);
    }
  });

  test("a shard with damage is verified again after an interval, and served if there is none", async () => {
    const toml = `[shards.na]\n${engine === "SQLite" ? "" : `url = "${postgres.url}?schema=${schema}"\n`}`;
    const world = await startWorld(MATCHES, {}, undefined, toml);
    try {
      const damage = [{ table: "matches", record: "match-1", detail: "" }];
      const old = { at: Date.now() - 25 * 3_600_000, damaged: 1, damage };
      await withWriter(world.settings, "na", (writer) =>
        writer.write(async (one) => one.setVerdict(old)),
      );
      await until("it is stopped", async () => (await statusOf(world, world.url)) === 503);
      const verifying = await startInstance(world, {}, PACE);
      await until("it is served", async () => (await statusOf(world, world.url)) === 200);
      await verifying.stop();
    } finally {
      await world.stop();
      if (engine === "PostgreSQL") await dropSchema(postgres.url, schema);
    }
  });

  test("of several instances, one verifies a shard", async () => {
    const toml = `[shards.na]\n${engine === "SQLite" ? "" : `url = "${postgres.url}?schema=${schema}"\n`}`;
    const world = await startWorld(MATCHES, {}, undefined, toml);
    try {
      const instances = await Promise.all([1, 2, 3].map(() => startInstance(world, {}, PACE)));
      const events = () => instances.flatMap((one) => one.events);
      const verified = () => events().filter(({ event }) => event === "shard-verified");
      await until("it is verified", async () => verified().length > 0);
      // By then the others have looked again.
      const { at } = (await verdictOf(world))!;
      for (const one of instances) await one.stop();
      expect(verified().length).toBe(1);
      expect((await verdictOf(world))!.at).toBe(at);
      expect(events().filter(({ event }) => event === "verify-failed")).toEqual([]);
    } finally {
      await world.stop();
      if (engine === "PostgreSQL") await dropSchema(postgres.url, schema);
    }
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
  await until("the other verifies", async () =>
    other.events.some(({ event }) => event === "shard-verified"),
  );
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
    await withWriter(world.settings, "na", (writer) =>
      writer.write(async (one) => one.setVerdict({ at: 0, damaged: 0, damage: [] })),
    );
    const verifying = await startInstance(world, {}, PACE);
    await until("it is verified", async () =>
      verifying.events.some(({ event }) => event === "shard-verified"),
    );
    await verifying.stop();
    counts.push(open());
  }
  // SQLite keeps some of its own for the next connection.
  expect(counts[3]).toBe(counts[1]!);
});
