/** `matchbook withheld`: the records that are not served, from both stores and from a backup. */

import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ENGINES, engineHomes } from "../support/engine-worlds.ts";
import { ingestAt, matchbookAt } from "../support/places.ts";
import { matchbook } from "../support/process.ts";
import { aMatch, type MatchIn } from "../support/records.ts";

const homeIn = engineHomes();

const line = (wishes: MatchIn) => JSON.stringify(aMatch(wishes));
const NOON = "2026-03-01T12:00:00Z";

const RECORDS = [
  line({ id: "served" }),
  line({ id: "unranked", createdAt: NOON, mode: "private", patch: "2.6" }),
  line({ id: "Quit", createdAt: "2026-03-01T11:00:00.250Z", ending: "exitpractice" }),
  line({ id: "brawl-2", createdAt: NOON, mode: "unheard-of" }),
  line({ id: "brawl-1", createdAt: NOON, mode: "unheard-of" }),
];

const record = (id: string, reason: string, gameMode: string, more: object = {}) => ({
  id,
  createdAt: NOON,
  gameMode,
  patchVersion: "2.5",
  reason,
  ...more,
});
const EXPECTED = [
  record("Quit", "ending", "ranked", { createdAt: "2026-03-01T11:00:00.250Z" }),
  record("brawl-1", "game-mode", "unheard-of"),
  record("brawl-2", "game-mode", "unheard-of"),
  record("unranked", "no-ranked-player", "private", { patchVersion: "2.6" }),
];
const linesIn = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((one) => JSON.parse(one));

describe.each(ENGINES)("withheld records in %s", (engine) => {
  let home: string;
  beforeAll(async () => {
    home = homeIn(engine).data;
    await ingestAt(home, RECORDS);
  });

  test("are listed by id, as JSON", async () => {
    const { exitCode, stdout, stderr } = await matchbookAt(home, ["withheld", "na", "--json"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(linesIn(stdout)).toEqual(EXPECTED);
  });

  test("are printed as a table", async () => {
    const { stdout } = await matchbookAt(home, ["withheld", "na"]);
    expect(stdout).toBe(
      [
        "ID        CREATED                   MODE        PATCH  REASON",
        "Quit      2026-03-01T11:00:00.250Z  ranked      2.5    ending",
        "brawl-1   2026-03-01T12:00:00Z      unheard-of  2.5    game-mode",
        "brawl-2   2026-03-01T12:00:00Z      unheard-of  2.5    game-mode",
        "unranked  2026-03-01T12:00:00Z      private     2.6    no-ranked-player",
        "",
      ].join("\n"),
    );
  });
});

test("all records are listed once, in any number of steps", async () => {
  const { data: home } = homeIn("SQLite");
  const ids = Array.from({ length: 1001 }, (_, at) => `m${String(at).padStart(4, "0")}`);
  const rosters: MatchIn["rosters"] = [{ members: [{ bot: true }] }, { members: [{ bot: true }] }];
  await ingestAt(
    home,
    ids.map((id) => line({ id, mode: "unheard-of", rosters })),
  );
  const { stdout } = await matchbookAt(home, ["withheld", "na", "--json"]);
  expect(linesIn(stdout).map(({ id }) => id)).toEqual(ids);
});

test("a backup is read as it is", async () => {
  const data = homeIn("SQLite").beside("backup");
  await matchbook(["ingest", "-", "--data", data], { stdin: RECORDS.join("\n") });
  const files = () =>
    readdirSync(data).map((name) => [name, readFileSync(join(data, name), "hex")]);
  const before = files();
  const { exitCode, stdout } = await matchbook(["withheld", "na", "--json", "--data", data]);
  expect(exitCode).toBe(0);
  expect(linesIn(stdout)).toEqual(EXPECTED);
  expect(files()).toEqual(before);
});
