/** Shards of a development version, and with the records of another shard: no command uses them, and they stay as they are. */

import { Database } from "bun:sqlite";
import { beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { openWriter } from "../../src/open-stores.ts";
import { postgresRows } from "../support/engine-postgres.ts";
import { holdOpen, sqliteRows } from "../support/engine-sqlite.ts";
import { ENGINES, type EngineHome, engineHomes } from "../support/engine-worlds.ts";
import { ingestAt, matchbookAt, settingsAt, shardsFile } from "../support/places.ts";
import { matchbook, startServerProcess } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { getAs, ingestWith, makeKey } from "../support/world.ts";

const homeIn = engineHomes();
const record = (id: string, shard = "na") => JSON.stringify(aMatch({ id, shard }));

const COMMANDS = [
  ...["status", "shards digest na", "why na m1", "withheld na", "export na", "doctor"],
  ...["shards move na --to sqlite:BESIDE", "ingest -", "verify na", "verify na --quick"],
  ...["compact na", "prune na --older-than 1d", "redact na ada --yes"],
];

/** What each command says of the shard. */
const REFUSED = {
  "of a development version": {
    commands: [...COMMANDS, "repair na"],
    async plant({ file, schema, place }: EngineHome) {
      if (place.startsWith("sqlite:")) {
        const database = new Database(file);
        database.run("PRAGMA user_version = 9");
        database.close();
        return;
      }
      const sql = new SQL({ url: place.split("?")[0]!, max: 1 });
      await postgresRows(sql, schema).changeFormat(() => 9);
      await sql.close();
    },
    says: (shown: string) =>
      `${shown} was written by a development version of Matchbook (format 9), which this version cannot read: run 'matchbook export' with the version that wrote it, then 'matchbook ingest' with this one into a new data folder or schema`,
  },
  "with the records of another shard": {
    commands: COMMANDS,
    plant: ({ rows }: EngineHome) => rows.change("shard", "first", { id: "eu" }),
    says: (shown: string) => `${shown} holds the records of shard eu`,
  },
};

describe.each(ENGINES)("in %s,", (engine) => {
  describe.each(Object.entries(REFUSED))(
    "a shard %s is refused by",
    (_, { commands, plant, says }) => {
      // One for all commands, since none changes it.
      let home: EngineHome;
      let shown: string;
      beforeAll(async () => {
        home = homeIn(engine);
        await ingestAt(home.data, [record("m1")]);
        await plant(home);
        shown = engine === "SQLite" ? home.file : `schema ${home.schema}`;
      });

      const backup = engine === "SQLite" ? ["backup BESIDE"] : [];
      test.each([...commands, ...backup])("%s", async (command) => {
        const { data, schema, beside } = home;
        const files = () =>
          readdirSync(join(data, ".."))
            .filter((name) => name.startsWith(`${schema}-na.db`))
            .map((name) => [name, readFileSync(beside(name.slice(schema.length + 1)), "base64")]);
        const before = files();
        const args = command.replace("BESIDE", beside(`new-${command.split(" ")[0]}`)).split(" ");
        const { exitCode, stdout, stderr } = await matchbookAt(data, args, record("m2"));
        expect(exitCode).not.toBe(0);
        expect(stdout + stderr).toContain(says(shown));
        expect(files()).toEqual(before);
      });

      test("serve, which serves the others", async () => {
        const { data } = home;
        shardsFile(join(data, "matchbook.toml"), { na: home.place, sa: undefined });
        const { key } = await makeKey({ data });
        const server = await startServerProcess(["--data", data], { cwd: data });
        const statusOf = async (shard: string) =>
          (await getAs({ ...server, key }, `/shards/${shard}/players`)).status;
        expect([await statusOf("na"), await statusOf("sa")]).toEqual([503, 200]);
        await server.end();
        const log = await new Response(server.child.stderr).text();
        expect(log).toContain(says(shown));
      });
    },
  );
});

test("reads create no schema", async () => {
  const { data } = homeIn("PostgreSQL");
  expect((await matchbookAt(data, ["status"])).stdout).toMatch(/^na +none yet +postgres/m);
});

test("a copy made while its shard was written is read with its WAL, which stays as it is", async () => {
  const { data, file, beside } = homeIn("SQLite");
  await ingestAt(data, [record("m1"), JSON.stringify(aMatch({ id: "w", mode: "unheard-of" }))]);
  const release = holdOpen(file, "withheld");
  const copy = beside("copy");
  mkdirSync(copy);
  for (const name of ["na.db", "na.db-wal"]) copyFileSync(beside(name), join(copy, name));
  release();
  const files = () =>
    readdirSync(copy)
      .filter((name) => !name.endsWith("-shm"))
      .map((name) => [name, readFileSync(join(copy, name), "base64")]);
  const before = files();
  const { exitCode, stdout } = await matchbook(["status", "--json", "--data", copy]);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).na).toMatchObject({ served: 1, withheld: { ending: 0 } });
  expect(files()).toEqual(before);
});

test("a file with some records of another shard is damaged, and repair leaves these out", async () => {
  const { data, file } = homeIn("SQLite");
  // Between two of na, as if pages of its file had got into that of na.
  const writer = openWriter("na", { engine: "sqlite", path: file });
  const into = { allowed: undefined, writer: () => writer } as never;
  for (const [at, shard] of ["na", "eu", "na"].entries()) {
    await ingestWith(into, settingsAt(data), [aMatch({ shard, id: `match-${at + 1}` })]);
  }
  await writer.close();
  const verify = () => matchbookAt(data, ["verify", "na", "--full-speed"]);
  expect(await verify()).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining("the record of match match-2 is damaged"),
  });
  const repaired = await matchbookAt(data, ["repair", "na", "--json"]);
  const { list, ...report } = JSON.parse(repaired.stdout);
  expect([repaired.exitCode, report]).toMatchObject([3, { records: 2, lost: 1 }]);
  expect(JSON.parse(readFileSync(list, "utf8"))).toMatchObject({ id: "match-2" });
  expect((await verify()).exitCode).toBe(0);
});

test("a file whose id is wrong is rebuilt by repair from its records, and one of another shard's records is not", async () => {
  const { data, file } = homeIn("SQLite");
  await ingestAt(data, [record("match-1")]);
  sqliteRows(file).change("shard", "first", { id: "eu" });
  const repair = () => matchbookAt(data, ["repair", "na"]);
  expect((await repair()).stdout).toContain("1 record (1 served");
  expect((await matchbookAt(data, ["export", "na"])).stdout).toContain("match-1");

  await matchbook(["ingest", "-", "--data", data], { stdin: record("match-2", "eu") });
  copyFileSync(join(data, "eu.db"), file);
  const before = readdirSync(join(data, ".."));
  const { exitCode, stderr } = await repair();
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("no record of na can be read")]);
  expect(readdirSync(join(data, ".."))).toEqual(before);
});
