/** Backups of shards in PostgreSQL as exports: restored on either engine, with the same digest. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import type { Manifest } from "../../src/backup/manifest.ts";
import { digestAt, homeAt, ingestAt, linesOf, matchbookAt } from "../support/places.ts";
import { aPostgres } from "../support/postgres.ts";
import { countsOf } from "../support/state.ts";
import { aFolder } from "../support/world.ts";

setDefaultTimeout(120_000);

const folder = aFolder();
const path = (name: string) => join(folder.path, name);
const schemas = ["source", "target"].map((name) => `backup_${name}_${process.pid}`);
let postgres: Awaited<ReturnType<typeof aPostgres>>;
let homes: { source: string; target: string; file: string };

beforeAll(async () => {
  postgres = await aPostgres();
  const [source, target] = schemas.map((schema) => {
    const url = new URL(postgres.url);
    url.searchParams.set("schema", schema);
    return url.href;
  });
  homes = {
    source: homeAt(path("source"), source!),
    target: homeAt(path("target"), target!),
    file: homeAt(path("file"), `sqlite:${path("restored.db")}`),
  };
  await ingestAt(homes.source, linesOf("na", 200, Date.now()));
  const made = await matchbookAt(homes.source, ["backup", path("copy"), "--export"]);
  expect([made.exitCode, made.stderr]).toEqual([0, ""]);
});

afterAll(async () => {
  const sql = new SQL(postgres.url);
  for (const schema of schemas) await sql.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await sql.close();
  postgres.stop();
  folder.remove();
});

const manifest = (): Manifest => JSON.parse(readFileSync(path("copy/manifest.json"), "utf8"));

test("the manifest has the counts and the digest of the shard", async () => {
  const { summary: _, ...counts } = (await countsOf(homes.source)).na!;
  expect(manifest().files).toMatchObject([
    {
      name: "na.ndjson.gz",
      engine: "postgres",
      format: "ndjson",
      digest: (await digestAt(homes.source)).digest,
      counts: { ...counts, newestMatch: expect.any(String) },
    },
  ]);
});

test("an export is restored into PostgreSQL and into a file, with the same counts and digest", async () => {
  for (const home of [homes.target, homes.file]) {
    const restored = await matchbookAt(home, ["restore", path("copy")]);
    expect([restored.exitCode, restored.stderr]).toEqual([0, ""]);
    expect(await digestAt(home)).toEqual(await digestAt(homes.source));
    expect(await countsOf(home)).toEqual(await countsOf(homes.source));
    const again = await matchbookAt(home, ["restore", path("copy")]);
    expect([again.exitCode, again.stderr]).toEqual([
      1,
      expect.stringContaining("restore overwrites nothing"),
    ]);
  }
});

test("a restored export with another digest than the manifest is an error", async () => {
  const changed = manifest();
  Object.assign(changed.files[0]!, { digest: "0".repeat(64) });
  writeFileSync(path("copy/manifest.json"), JSON.stringify(changed));
  const home = homeAt(path("other"), `sqlite:${path("other.db")}`);
  const restored = await matchbookAt(home, ["restore", path("copy")]);
  expect([restored.exitCode, restored.stderr]).toEqual([
    1,
    expect.stringContaining(`${path("other.db")}: the restored shard is not what`),
  ]);
});
