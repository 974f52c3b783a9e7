/** Runs a made-up migration on a shard's file. */

import type { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { openForReading, openForWriting, openReadOnly } from "../../src/store/sqlite/open.ts";
import { FORMAT, MIGRATIONS, type Migration } from "../../src/store/sqlite/schema.ts";
import { MigrationNeeded } from "../../src/store/store.ts";
import { ADD_NOTE, killMigration } from "../support/half-migrated.ts";
import { aFolder } from "../support/world.ts";

const folder = aFolder();
afterAll(() => folder.remove());

const ADDED: readonly Migration[] = [
  ...MIGRATIONS,
  (database) => database.run(ADD_NOTE.replace(/[{}]/g, "")),
  (database) => database.run("UPDATE shard SET note = 'migrated'"),
];

const formatOf = (database: Database) => database.query("PRAGMA user_version").values()[0]![0];

test("a file whose migration was killed is refused by what may not migrate, and migrated by what may", async () => {
  const path = join(folder.path, "na.db");
  openForWriting(path, "na").close();
  await killMigration(path);
  expect(() => openReadOnly(path, "na", ADDED)).toThrow(MigrationNeeded);
  expect(() => openForReading(path, "na", undefined, ADDED)).toThrow(MigrationNeeded);
  const reported: number[][] = [];
  const database = openForReading(path, "na", (...formats) => reported.push(formats), ADDED)!;
  expect(reported).toEqual([[FORMAT, FORMAT + 2]]);
  expect(formatOf(database)).toBe(FORMAT + 2);
  expect(database.query("SELECT note FROM shard").get()).toEqual({ note: "migrated" });
  database.close();
  // A version without these migrations.
  expect(() => openForReading(path, "na", () => {})).toThrow("was written by a newer Matchbook");
});
