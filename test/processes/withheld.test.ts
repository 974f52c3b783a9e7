/** `matchbook withheld`: the records that are not served, from both stores and from a backup. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { homeAt, ingestAt, matchbookAt } from "../support/places.ts";
import { aPostgres, dropSchema } from "../support/postgres.ts";
import { matchbook } from "../support/process.ts";
import { aMatch, type MatchIn } from "../support/records.ts";
import { aFolder } from "../support/world.ts";

const folder = aFolder();
const path = (name: string) => join(folder.path, name);
afterAll(() => folder.remove());

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

describe.each(["SQLite", "PostgreSQL"])("withheld records in %s", (engine) => {
  const home = path(engine);
  let postgres: Awaited<ReturnType<typeof aPostgres>> | undefined;
  const schema = `withheld_${process.pid}`;

  beforeAll(async () => {
    if (engine === "PostgreSQL") postgres = await aPostgres();
    homeAt(home, postgres ? `${postgres.url}?schema=${schema}` : `sqlite:${path("na.db")}`);
    await ingestAt(home, RECORDS);
  });
  afterAll(async () => {
    if (postgres) await dropSchema(postgres.url, schema);
    postgres?.stop();
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
  const home = homeAt(path("many"), `sqlite:${path("many.db")}`);
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
  const data = path("backup");
  await matchbook(["ingest", "-", "--data", data], { stdin: RECORDS.join("\n") });
  const files = () =>
    readdirSync(data).map((name) => [name, readFileSync(join(data, name), "hex")]);
  const before = files();
  const { exitCode, stdout } = await matchbook(["withheld", "na", "--json", "--data", data]);
  expect(exitCode).toBe(0);
  expect(linesIn(stdout)).toEqual(EXPECTED);
  expect(files()).toEqual(before);
});

test("a shard that does not exist is named", async () => {
  const finished = await matchbook(["withheld", "nz", "--data", path("nowhere")]);
  const stderr = 'matchbook: there is no shard "nz"; shards: none yet\n';
  expect(finished).toEqual({ exitCode: 1, stdout: "", stderr });
});
