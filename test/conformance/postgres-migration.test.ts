/** Runs a made-up migration on a shard in PostgreSQL. */

import { afterAll, expect, test } from "bun:test";
import { formatOf, prepare } from "../../src/store/postgres/open.ts";
import { FORMAT, MIGRATIONS, type Migration } from "../../src/store/postgres/schema.ts";
import { Session } from "../../src/store/postgres/session.ts";
import { MigrationNeeded } from "../../src/store/store.ts";
import { ADD_NOTE, killMigration } from "../support/half-migrated.ts";
import { aPostgres, dropSchema } from "../support/postgres.ts";

const { url, stop } = await aPostgres();
const schema = `migration_${process.pid}`;
const place = { url, shown: "the test's", schema, prepares: true, pool: 2 };
const session = new Session(place);
afterAll(async () => {
  await session.close();
  await dropSchema(url, schema);
  stop();
});

const ADDED: readonly Migration[] = [
  ...MIGRATIONS,
  async (connection) => void (await connection.run(ADD_NOTE)),
  async (connection) => void (await connection.run("UPDATE {shard} SET note = 'migrated'")),
];

test("a shard whose migration was killed is refused by what may not migrate, and migrated by what may", async () => {
  const open = (migrations?: readonly Migration[], onMigrate?: (...formats: number[]) => void) =>
    prepare(session, "na", onMigrate, migrations);
  await open();
  await killMigration(JSON.stringify(place));
  await expect(formatOf(session, false, ADDED)).rejects.toThrow(MigrationNeeded);
  await expect(open(ADDED)).rejects.toThrow(MigrationNeeded);
  const reported: number[][] = [];
  await open(ADDED, (...formats) => reported.push(formats));
  expect(reported).toEqual([[FORMAT, FORMAT + 2]]);
  expect(await formatOf(session, false, ADDED)).toBe(FORMAT + 2);
  expect(await session.rows("SELECT note FROM {shard}")).toEqual([{ note: "migrated" }]);
  // A version without these migrations.
  await expect(open()).rejects.toThrow("was written by a newer Matchbook");
});
