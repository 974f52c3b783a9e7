/** Backups of shards in PostgreSQL as exports: restored on either engine, with the same digest. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import type { Manifest } from "../../src/backup/manifest.ts";
import { digestAt, homeAt, ingestAt, linesOf, lookInto, matchbookAt } from "../support/places.ts";
import { aPostgres } from "../support/postgres.ts";
import { spawnMatchbook } from "../support/process.ts";
import { testLong } from "../support/scale.ts";
import { countsOf, until } from "../support/state.ts";
import { aFolder } from "../support/world.ts";

setDefaultTimeout(120_000);

const folder = aFolder();
const path = (name: string) => join(folder.path, name);
const schemas = ["source", "target", "part"].map((name) => `backup_${name}_${process.pid}`);
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

const filesOf = (name: string) => readdirSync(folder.path).filter((one) => one.startsWith(name));

testLong(
  "an export gets the name of its file when it is complete: killed before, restore can be run again",
  async () => {
    const home = homeAt(path("killed"), `sqlite:${path("killed.db")}`);
    const args = ["--data", home, "--config", join(home, "matchbook.toml")];
    // If the machine is busy, it may be done too soon.
    let isIncomplete = false;
    for (let attempt = 1; !isIncomplete && attempt <= 20; attempt++) {
      for (const name of filesOf("killed.db")) rmSync(path(name));
      // Small batches, so that it takes a moment.
      const env = { MATCHBOOK_BATCH: "1" };
      const child = spawnMatchbook(["restore", path("copy"), ...args], { env });
      await until("it has begun", () => filesOf("killed.db").length > 0 || child.exitCode !== null);
      child.kill("SIGKILL");
      await child.exited;
      isIncomplete = child.signalCode === "SIGKILL" && !filesOf("killed.db").includes("killed.db");
    }
    expect(isIncomplete).toBe(true);
    const again = await matchbookAt(home, ["restore", path("copy")]);
    expect([again.exitCode, again.stderr]).toEqual([0, ""]);
    expect(await digestAt(home)).toEqual(await digestAt(homes.source));
    expect(statSync(path("killed.db")).mode & 0o777).toBe(0o600);
    expect(filesOf("killed.db").filter((name) => name.includes("restoring"))).toEqual([]);
  },
);

testLong(
  "what is left of an export in PostgreSQL has to be dropped, and the errors say so",
  async () => {
    const url = new URL(postgres.url);
    url.searchParams.set("schema", schemas[2]!);
    const home = homeAt(path("part"), url.href);
    const intact = readFileSync(path("copy/manifest.json"));
    const changed = manifest();
    Object.assign(changed.files[0]!, { digest: "0".repeat(64) });
    writeFileSync(path("copy/manifest.json"), JSON.stringify(changed));
    const drop = expect.stringContaining(`DROP SCHEMA ${schemas[2]} CASCADE`);
    for (const message of ["the restored shard is not what", "restore overwrites nothing"]) {
      const { exitCode, stderr } = await matchbookAt(home, ["restore", path("copy")]);
      expect([exitCode, stderr, stderr]).toEqual([1, expect.stringContaining(message), drop]);
    }
    writeFileSync(path("copy/manifest.json"), intact);

    const sql = new SQL(postgres.url);
    await sql.unsafe(`DROP SCHEMA ${schemas[2]} CASCADE`);
    await lookInto(home, (writer) => writer.write(async () => {}));
    await sql.unsafe(
      `CREATE FUNCTION ${schemas[2]}.refuse() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'the disk is full' USING ERRCODE = '53100'; END $$`,
    );
    await sql.unsafe(
      `CREATE TRIGGER refuse BEFORE INSERT ON ${schemas[2]}.players EXECUTE FUNCTION ${schemas[2]}.refuse()`,
    );
    await sql.close();
    const failed = await matchbookAt(home, ["restore", path("copy")]);
    expect([failed.exitCode, failed.stderr, failed.stderr]).toEqual([
      1,
      expect.stringContaining("the disk is full"),
      drop,
    ]);
  },
);

testLong(
  "a restored export with another digest than the manifest is an error, and not put in place",
  async () => {
    const changed = manifest();
    Object.assign(changed.files[0]!, { digest: "0".repeat(64) });
    writeFileSync(path("copy/manifest.json"), JSON.stringify(changed));
    const home = homeAt(path("other"), `sqlite:${path("other.db")}`);
    const restored = await matchbookAt(home, ["restore", path("copy")]);
    expect([restored.exitCode, restored.stderr]).toEqual([
      1,
      expect.stringContaining(`${path("other.db")}: the restored shard is not what`),
    ]);
    expect(filesOf("other.db")).toEqual([]);
  },
);
