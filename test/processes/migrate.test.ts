/** Commands on shards of older formats: reading changes nothing, and migrating can be killed. */

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { holdOpen } from "../support/engine-sqlite.ts";
import {
  dropSchema,
  EXPECTED,
  killedMigration,
  loadPostgres,
  POSTGRES_FORMAT,
  putSqliteKeys,
  putSqliteShard,
  putSqliteUsage,
  SQLITE_FORMAT,
} from "../support/formats.ts";
import { digestAt, homeAt, matchbookAt } from "../support/places.ts";
import { aPostgres } from "../support/postgres.ts";
import { matchbook, startServerProcess } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { testLong } from "../support/scale.ts";
import { aFolder } from "../support/world.ts";

let folder: ReturnType<typeof aFolder>;
let data: string;
beforeEach(() => {
  folder = aFolder();
  data = folder.path;
});
afterEach(() => folder.remove());

/** Names and bytes of all files. */
const filesIn = (path: string) =>
  new Map(readdirSync(path).map((name) => [name, readFileSync(join(path, name), "base64")]));

const formatOf = (path: string): number => {
  const database = new Database(path, { readonly: true });
  const { user_version } = database.query("PRAGMA user_version").get() as { user_version: number };
  database.close();
  return user_version;
};

describe("commands that only read leave a backup of an older format as it is:", () => {
  test.each([
    ["keys list", ["keys", "list", "--json"], '"state": "revoked"'],
    ["keys usage", ["keys", "usage"], "first"],
  ])("%s", async (_, args, shown) => {
    putSqliteShard(data, 1);
    putSqliteKeys(data, 1);
    putSqliteUsage(data);
    const before = filesIn(data);
    const { exitCode, stdout, stderr } = await matchbook([...args, "--data", data]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain(shown);
    expect(filesIn(data)).toEqual(before);
  });

  test.each([
    ["status", ["status", "--json"]],
    ["shards list", ["shards", "list", "--json"]],
    ["shards digest", ["shards", "digest", "na"]],
    ["why", ["why", "na", "w-unranked"]],
  ])("%s names the command that migrates it", async (_, args) => {
    putSqliteShard(data, 3);
    const before = filesIn(data);
    const { exitCode, stderr } = await matchbook([...args, "--data", data]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining("has format 3 and must be migrated"),
    });
    expect(filesIn(data)).toEqual(before);
  });
});

test("a copy made while its shard was written is read with its WAL, which stays as it is", async () => {
  const path = putSqliteShard(data, 3);
  await matchbook(["migrate", "--data", data]);
  const release = holdOpen(path, "withheld");
  const copy = join(data, "copy");
  mkdirSync(copy);
  for (const name of ["na.db", "na.db-wal"]) copyFileSync(join(data, name), join(copy, name));
  release();
  const before = filesIn(copy);
  const { exitCode, stdout } = await matchbook(["status", "--json", "--data", copy]);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).na).toMatchObject({ served: 6, withheld: { ending: 0 } });
  const after = filesIn(copy);
  for (const [name, bytes] of before) expect(after.get(name)).toBe(bytes);
});

test("shards move names the command that migrates its source", async () => {
  const path = putSqliteShard(data, 2);
  const to = `sqlite:${join(data, "moved/na.db")}`;
  const moved = await matchbook(["shards", "move", "na", "--to", to, "--data", data]);
  expect(moved).toMatchObject({
    exitCode: 1,
    stderr: `matchbook: ${path} has format 2 and must be migrated to format ${SQLITE_FORMAT}: make a backup, then run 'matchbook migrate'\n`,
  });
  expect(formatOf(path)).toBe(2);
});

describe("a SQLite shard of an older format is migrated, which is reported,", () => {
  test("by migrate, once", async () => {
    const path = putSqliteShard(data, 1);
    const first = await matchbook(["migrate", "na", "--data", data]);
    expect(first).toEqual({
      exitCode: 0,
      stdout: `na  migrated from format 1 to ${SQLITE_FORMAT}\n`,
      stderr: `Migrating shard na from format 1 to ${SQLITE_FORMAT}.\n`,
    });
    expect(formatOf(path)).toBe(SQLITE_FORMAT);
    expect(await digestAt(data)).toEqual(EXPECTED.digest);
    const second = await matchbook(["migrate", "--json", "--data", data]);
    expect(second).toEqual({
      exitCode: 0,
      stdout: `{"na":{"from":${SQLITE_FORMAT},"to":${SQLITE_FORMAT}}}\n`,
      stderr: "",
    });
  });

  testLong("by ingest", async () => {
    putSqliteShard(data, 2);
    const stdin = `${JSON.stringify(aMatch())}\n`;
    const { exitCode, stderr } = await matchbook(["ingest", "-", "--data", data], { stdin });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: `Migrating shard na from format 2 to ${SQLITE_FORMAT}.\n`,
    });
  });

  test("by serve", async () => {
    putSqliteShard(data, 2);
    const server = await startServerProcess(["--data", data]);
    await server.end();
    const log = await new Response(server.child.stderr).text();
    expect(log).toContain(`"event":"shard-migrating","shard":"na","from":2,"to":${SQLITE_FORMAT}`);
  });
});

test("migrate reports a shard that it cannot migrate, and migrates the others", async () => {
  putSqliteShard(data, 1);
  const newer = join(data, "eu.db");
  copyFileSync(join(data, "na.db"), newer);
  const database = new Database(newer);
  database.run("PRAGMA user_version = 99");
  database.close();
  const { exitCode, stdout, stderr } = await matchbook(["migrate", "--json", "--data", data]);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 1,
    stdout: `{"na":{"from":1,"to":${SQLITE_FORMAT}}}\n`,
  });
  expect(stderr).toContain(`eu: ${newer} was written by a newer Matchbook (format 99;`);
});

test("migrate rejects an unknown shard", async () => {
  putSqliteShard(data, 1);
  const { exitCode, stderr } = await matchbook(["migrate", "nz", "--data", data]);
  expect(exitCode).toBe(1);
  expect(stderr).toBe('matchbook: there is no shard "nz"; did you mean na? shards: na\n');
});

describe("a shard whose migration was killed before the commit has its old format and can be migrated:", () => {
  test("SQLite", async () => {
    const path = putSqliteShard(data, 1);
    await killedMigration(`sqlite:${path}`);
    expect(formatOf(path)).toBe(1);
    const { stdout } = await matchbook(["migrate", "--data", data]);
    expect(stdout).toBe(`na  migrated from format 1 to ${SQLITE_FORMAT}\n`);
    expect(await digestAt(data)).toEqual(EXPECTED.digest);
  });

  testLong("SQLite, with some of its rows rewritten: it continues", async () => {
    const path = putSqliteShard(data, 3);
    await killedMigration(`sqlite:${path}`, "after some rows");
    const status = await matchbook(["status", "--data", data]);
    expect([status.exitCode, status.stderr]).toEqual([
      1,
      expect.stringContaining("matchbook migrate"),
    ]);
    const { stdout } = await matchbook(["migrate", "--data", data]);
    expect(stdout).toBe(`na  migrated from format 4 to ${SQLITE_FORMAT}\n`);
    expect(await digestAt(data)).toEqual(EXPECTED.digest);
  });

  test("PostgreSQL, also with some of its rows rewritten", async () => {
    const postgres = await aPostgres();
    const schema = `migrate_killed_${process.pid}`;
    const location = `${postgres.url}?schema=${schema}`;
    homeAt(data, location);
    // Reads create no schema: loading the dump would fail.
    expect(await matchbookAt(data, ["status"])).toMatchObject({ exitCode: 0, stdout: "" });
    await loadPostgres(postgres.url, "postgres-shard-1", schema);
    await killedMigration(location);
    const status = await matchbookAt(data, ["status"]);
    expect(status.stderr).toContain(
      `has format 1 and must be migrated to format ${POSTGRES_FORMAT}`,
    );
    await killedMigration(location, "after some rows");
    const { na } = JSON.parse((await matchbookAt(data, ["status", "--json"])).stdout);
    expect(na).toMatchObject(EXPECTED.counts);
    expect(await digestAt(data)).toEqual(EXPECTED.digest);
    const { stdout, stderr } = await matchbookAt(data, ["migrate"]);
    expect(stdout).toBe(`na  migrated from format 3 to ${POSTGRES_FORMAT}\n`);
    expect(stderr).toBe(`Migrating shard na from format 3 to ${POSTGRES_FORMAT}.\n`);
    expect(await digestAt(data)).toEqual(EXPECTED.digest);
    await dropSchema(postgres.url, schema);
    postgres.stop();
  });
});
