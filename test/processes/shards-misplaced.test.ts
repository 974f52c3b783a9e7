/** A file with the records of another shard, or with some of them: no command uses it under the wrong name. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWriter } from "../../src/open-stores.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { ingestAt, linesOf, settingsAt } from "../support/places.ts";
import { matchbook } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { aFolder, ingestWith } from "../support/world.ts";

let folder: ReturnType<typeof aFolder>;
let data: string;
beforeEach(() => {
  folder = aFolder();
  data = join(folder.path, "data");
  mkdirSync(data);
});
afterEach(() => folder.remove());

const run = (...args: string[]) => matchbook([...args, "--data", data]);
const file = () => join(data, "na.db");
const record = (shard: string, id: string) => JSON.stringify(aMatch({ shard, id }));

const COMMANDS: Record<string, () => string[]> = {
  verify: () => ["verify", "na"],
  "verify --quick": () => ["verify", "na", "--quick"],
  export: () => ["export", "na"],
  "shards digest": () => ["shards", "digest", "na"],
  "shards move": () => ["shards", "move", "na", "--to", `sqlite:${join(folder.path, "moved.db")}`],
  prune: () => ["prune", "na", "--older-than", "1d"],
  redact: () => ["redact", "na", "ada", "--yes"],
  withheld: () => ["withheld", "na"],
  backup: () => ["backup", join(folder.path, "backup")],
  ingest: () => ["ingest", join(folder.path, "records.ndjson")],
  doctor: () => ["doctor"],
};

describe("a file with the records of another shard is refused, and stays as it is, by", () => {
  test.each(Object.keys(COMMANDS))("%s", async (command) => {
    await ingestAt(data, [record("eu", "match-1")]);
    copyFileSync(join(data, "eu.db"), file());
    writeFileSync(join(folder.path, "records.ndjson"), record("na", "match-2"));
    const before = readFileSync(file(), "base64");
    const { exitCode, stdout, stderr } = await run(...COMMANDS[command]!());
    expect(exitCode).toBe(1);
    expect(stdout + stderr).toContain(`${file()} holds the records of shard eu`);
    expect(readFileSync(file(), "base64")).toBe(before);
  });

  test("repair", async () => {
    await ingestAt(data, [record("eu", "match-1")]);
    copyFileSync(join(data, "eu.db"), file());
    const before = readdirSync(data).sort();
    const { exitCode, stderr } = await run("repair", "na");
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${file()} holds the records of shard eu`);
    expect(stderr).toContain("no record of na can be read");
    expect(readdirSync(data).sort()).toEqual(before);
  });
});

/** Stores the records of another shard between two of na, as if pages of its file had got into that of na. */
async function mix(): Promise<void> {
  const writer = openWriter("na", { engine: "sqlite", path: file() });
  const into = { allowed: undefined, writer: () => writer } as never;
  for (const [at, shard] of ["na", "eu", "na"].entries()) {
    await ingestWith(into, settingsAt(data), [aMatch({ shard, id: `match-${at + 1}` })]);
  }
  await writer.close();
}

test("a file with some records of another shard is damaged, and repair leaves these out", async () => {
  await mix();
  const found = await run("verify", "na", "--full-speed");
  expect(found.exitCode).toBe(1);
  expect(found.stdout).toContain("the record of match match-2 is damaged");
  const { exitCode, stdout } = await run("repair", "na", "--json");
  const { list, ...report } = JSON.parse(stdout);
  expect({ exitCode, ...report }).toMatchObject({ exitCode: 3, records: 2, lost: 1 });
  expect(JSON.parse(readFileSync(list, "utf8"))).toMatchObject({
    id: "match-2",
  });
  expect((await run("verify", "na", "--full-speed")).exitCode).toBe(0);
  expect((await run("export", "na")).stdout).not.toContain("match-2");
});

test("a file whose id is wrong is refused, and repair rebuilds it from its records", async () => {
  await ingestAt(data, [record("na", "match-1")]);
  sqliteRows(file()).change("shard", "first", { id: "eu" });
  expect((await run("export", "na")).stderr).toContain("holds the records of shard eu");
  const { exitCode, stdout } = await run("repair", "na");
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining("1 record (1 served")]);
  expect((await run("export", "na")).stdout).toContain("match-1");
});

test("a restored shard, and one that was moved to a file with another name, are used", async () => {
  await ingestAt(data, linesOf("na", 20, Date.now()));
  const backup = join(folder.path, "backup");
  expect((await run("backup", backup)).exitCode).toBe(0);
  data = join(folder.path, "restored");
  mkdirSync(data);
  expect((await run("restore", backup, "na")).exitCode).toBe(0);
  expect((await run("verify", "na", "--full-speed")).exitCode).toBe(0);
  const moved = join(folder.path, "moved.db");
  expect((await run("shards", "move", "na", "--to", `sqlite:${moved}`)).exitCode).toBe(0);
  const config = join(folder.path, "matchbook.toml");
  writeFileSync(config, `[shards.na]\nurl = ${JSON.stringify(`sqlite:${moved}`)}\n`);
  const { exitCode } = await run("verify", "na", "--full-speed", "--config", config);
  expect(exitCode).toBe(0);
});
