/** `matchbook verify`: output, exit codes, and that it changes nothing. */

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { demoLines } from "../support/demo.ts";
import { overwritePage, pagesOf, settle } from "../support/engine-sqlite.ts";
import { ingestAt } from "../support/places.ts";
import { matchbook } from "../support/process.ts";
import { aMatch, duel } from "../support/records.ts";
import { aFolder } from "../support/world.ts";

let folder: ReturnType<typeof aFolder>;
let data: string;
beforeEach(() => {
  folder = aFolder();
  data = folder.path;
  writeFileSync(join(data, "matchbook.toml"), "");
});
afterEach(() => folder.remove());

const MATCHES = ["match-1", "match-2", "match-3"].map((id) =>
  JSON.stringify(aMatch({ id, rosters: duel({ id: "ada" }, { id: "bea" }) })),
);

const verify = (...args: string[]) =>
  matchbook(["verify", "--full-speed", ...args, "--data", data]);

/** Names and bytes of all files. */
const filesIn = (path: string) =>
  new Map(readdirSync(path).map((name) => [name, readFileSync(join(path, name), "base64")]));

test("a clean backup is reported with its counts, and stays as it is", async () => {
  await ingestAt(data, MATCHES);
  settle(join(data, "na.db"));
  copyFileSync(join(data, "na.db"), join(data, "backup"));
  data = join(data, "copies");
  mkdirSync(data);
  renameSync(join(folder.path, "backup"), join(data, "na.db"));
  const before = filesIn(data);
  expect(await matchbook(["verify", "--data", data])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^na: no damage \(\d+ rows in [\d.]+ s\)\n$/),
    stderr: "",
  });
  const { exitCode, stdout } = await verify("--json", "--quick", "na");
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    na: {
      state: "clean",
      problem: null,
      rows: expect.any(Number),
      rebuilt: false,
      damaged: 0,
      damage: [],
      milliseconds: expect.any(Number),
    },
  });
  expect(filesIn(data)).toEqual(before);
});

test("a damaged page is reported as damage of the file, and nothing is rebuilt from it", async () => {
  await ingestAt(data, demoLines(60, Date.UTC(2026, 0, 1)).map(ofNa));
  const file = join(data, "na.db");
  settle(file);
  overwritePage(file, pagesOf(file, "match")[0]!);
  const { exitCode, stdout } = await verify();
  expect(exitCode).toBe(1);
  expect(stdout).toContain("\n  file: the store cannot read everything, or an index is wrong (");
  expect(stdout).toContain("\n  Not verified completely: ");
  const { na } = JSON.parse((await verify("--json")).stdout);
  expect(na).toMatchObject({ state: "damaged", rebuilt: false, damage: [{ table: "file" }] });
});

const ofNa = (line: string) => line.replaceAll(/"shardId":"[a-z0-9-]+"/g, '"shardId":"na"');

test("a shard that cannot be read is reported, and the others are verified", async () => {
  await ingestAt(data, MATCHES);
  settle(join(data, "na.db"));
  copyFileSync(join(data, "na.db"), join(data, "eu.db"));
  const database = new Database(join(data, "eu.db"));
  database.run("PRAGMA user_version = 99");
  database.close();
  const { exitCode, stdout } = await verify();
  expect(exitCode).toBe(1);
  expect(stdout).toStartWith(
    `eu: cannot be read: ${join(data, "eu.db")} was written by a newer Matchbook`,
  );
  expect(stdout).toContain("\nna: no damage (");
});
