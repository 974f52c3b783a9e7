/** Shards of formats that this version does not use. */

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { holdOpen } from "../support/engine-sqlite.ts";
import { homeAt, ingestAt, matchbookAt } from "../support/places.ts";
import { aPostgres, dropSchema } from "../support/postgres.ts";
import { matchbook, startServerProcess } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { aFolder } from "../support/world.ts";

let folder: ReturnType<typeof aFolder>;
let data: string;
let path: string;
/** One record is served, and one withheld. */
const line = [aMatch(), aMatch({ id: "w", mode: "unheard-of" })]
  .map((one) => JSON.stringify(one))
  .join("\n");
beforeEach(async () => {
  folder = aFolder();
  data = folder.path;
  path = join(data, "na.db");
  await matchbook(["ingest", "-", "--data", data], { stdin: line });
});
afterEach(() => folder.remove());

/** Names and bytes of all files. */
const filesIn = (where: string) =>
  new Map(readdirSync(where).map((name) => [name, readFileSync(join(where, name), "base64")]));

function setFormat(file: string, format: number): void {
  const database = new Database(file);
  database.run(`PRAGMA user_version = ${format}`);
  database.close();
}

/** What is said about a shard of a development version. */
const refusal = (shown: string, format: number) =>
  `${shown} was written by a development version of Matchbook (format ${format}), which this version cannot read: run 'matchbook export' with the version that wrote it, then 'matchbook ingest' with this one into a new data folder or schema`;

describe("a shard of a development version is refused with the way over export and ingest, and left as it is:", () => {
  test.each([
    ["status", ["status"]],
    ["shards digest", ["shards", "digest", "na"]],
    ["shards move", ["shards", "move", "na", "--to", "sqlite:DATA/moved/na.db"]],
    ["why", ["why", "na", "m1"]],
    ["withheld", ["withheld", "na"]],
    ["export", ["export", "na"]],
    ["ingest", ["ingest", "-"]],
    ["verify", ["verify"]],
    ["repair", ["repair", "na"]],
    ["compact", ["compact", "na"]],
    ["prune", ["prune", "na", "--older-than", "9000d"]],
    ["redact", ["redact", "na", "p1"]],
    ["backup", ["backup", "DATA-backup"]],
  ])("%s", async (_, args) => {
    setFormat(path, 10);
    const before = filesIn(data);
    const whole = args.map((arg) => arg.replace("DATA", data));
    const found = await matchbook([...whole, "--data", data], { stdin: line });
    expect(found.exitCode).not.toBe(0);
    expect(found.stdout + found.stderr).toContain(refusal(path, 10));
    expect(filesIn(data).get("na.db")).toBe(before.get("na.db"));
  });

  test("serve, which serves the others", async () => {
    setFormat(path, 1);
    const eu = aMatch({ id: "eu-1", shard: "eu" });
    await matchbook(["ingest", "-", "--data", data], { stdin: JSON.stringify(eu) });
    const { stdout } = await matchbook(["keys", "create", "--name", "one", "--data", data]);
    const key = /mb_\w+/.exec(stdout)![0];
    const server = await startServerProcess(["--data", data]);
    const statusOf = async (shard: string) =>
      (
        await fetch(`${server.url}/shards/${shard}/players`, {
          headers: { Authorization: `Bearer ${key}`, Accept: "application/vnd.api+json" },
        })
      ).status;
    expect([await statusOf("na"), await statusOf("eu")]).toEqual([503, 200]);
    await server.end();
    expect(await new Response(server.child.stderr).text()).toContain(refusal(path, 1));
  });

  test("PostgreSQL", async () => {
    const postgres = await aPostgres();
    const schema = `development_${process.pid}`;
    const home = homeAt(join(data, "home"), `${postgres.url}?schema=${schema}`);
    // Reads create no schema.
    expect((await matchbookAt(home, ["status"])).stdout).toMatch(/^na +none yet +postgres/m);
    await ingestAt(home, line.split("\n"));
    const sql = new SQL({ url: postgres.url, max: 1 });
    await sql.unsafe(`UPDATE ${schema}.format SET version = 9`);
    await sql.close();
    for (const args of [["status"], ["ingest", "-"], ["verify"], ["repair", "na"]]) {
      const { exitCode, stdout, stderr } = await matchbookAt(home, args, line);
      expect(exitCode).not.toBe(0);
      expect(stdout + stderr).toContain(refusal(`schema ${schema}`, 9));
    }
    await dropSchema(postgres.url, schema);
    postgres.stop();
  });
});

test("a copy made while its shard was written is read with its WAL, which stays as it is", async () => {
  const release = holdOpen(path, "withheld");
  const copy = join(data, "copy");
  mkdirSync(copy);
  for (const name of ["na.db", "na.db-wal"]) copyFileSync(join(data, name), join(copy, name));
  release();
  const before = filesIn(copy);
  const { exitCode, stdout } = await matchbook(["status", "--json", "--data", copy]);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).na).toMatchObject({ served: 1, withheld: { ending: 0 } });
  const after = filesIn(copy);
  for (const [name, bytes] of before) expect(after.get(name)).toBe(bytes);
});
