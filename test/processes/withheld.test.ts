/** `matchbook withheld`: the records that are not served, from both stores and from a backup. */

import { expect, test } from "bun:test";
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
  ...{ id, createdAt: NOON, gameMode, patchVersion: "2.5", reason },
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

test.each(ENGINES)(
  "withheld records in %s are listed by id, as a table that says how to see the others, and by reason before the limit applies",
  async (engine) => {
    const { data } = homeIn(engine);
    await ingestAt(data, RECORDS);
    const listed = (...flags: string[]) => matchbookAt(data, ["withheld", "na", ...flags]);
    const all = await listed("--json");
    expect([all.exitCode, all.stderr, linesIn(all.stdout)]).toEqual([0, "", EXPECTED]);
    expect(await listed("--limit", "2")).toEqual({
      exitCode: 0,
      stdout: [
        "ID       CREATED                   MODE        PATCH  REASON",
        "Quit     2026-03-01T11:00:00.250Z  ranked      2.5    ending",
        "brawl-1  2026-03-01T12:00:00Z      unheard-of  2.5    game-mode",
        "",
      ].join("\n"),
      stderr: "Only the first 2 are listed; --limit 0 lists all.\n",
    });
    const some = await listed("--reason", "game-mode", "--limit", "1", "--json");
    expect(linesIn(some.stdout)).toEqual([EXPECTED[1]]);
  },
);

test("all records are listed once, in any number of steps", async () => {
  const { data } = homeIn("SQLite");
  const ids = Array.from({ length: 1001 }, (_, at) => `m${String(at).padStart(4, "0")}`);
  const rosters: MatchIn["rosters"] = [{ members: [{ bot: true }] }, { members: [{ bot: true }] }];
  const lines = ids.map((id) => line({ id, mode: "unheard-of", rosters }));
  await ingestAt(data, lines);
  const { stdout } = await matchbookAt(data, ["withheld", "na", "--limit", "0", "--json"]);
  expect(linesIn(stdout).map(({ id }) => id)).toEqual(ids);
});

test("a backup is read as it is", async () => {
  const data = homeIn("SQLite").beside("backup");
  await matchbook(["ingest", "-", "--data", data], { stdin: RECORDS.join("\n") });
  const files = () =>
    readdirSync(data).map((name) => [name, readFileSync(join(data, name), "hex")]);
  const before = files();
  const { exitCode, stdout } = await matchbook(["withheld", "na", "--json", "--data", data]);
  expect([exitCode, linesIn(stdout)]).toEqual([0, EXPECTED]);
  expect(files()).toEqual(before);
});
