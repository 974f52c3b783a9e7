/** Tests `matchbook why` and `matchbook status`. */

import { beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ndjson } from "../support/admin.ts";
import { inverted } from "../support/engine.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { shardsFile } from "../support/places.ts";
import { matchbook } from "../support/process.ts";
import { aMatch, duel, type MatchIn } from "../support/records.ts";
import { sharedFolder } from "../support/shared.ts";

const folder = sharedFolder();
const cwd = folder;

const run = (...args: string[]) => matchbook(args, { cwd });
const listing = (shards: Record<string, string | undefined>) => [
  "--config",
  shardsFile(join(cwd, "listing.toml"), shards),
];

const AT = "2023-03-01T18:30:00Z";
const LATER = "2023-03-02T18:30:00Z";
const old = (id: string, players: [string, string], wishes: MatchIn = {}) =>
  aMatch({
    ...{ id, createdAt: AT, rosters: duel({ id: players[0] }, { id: players[1] }) },
    ...wishes,
  });

beforeAll(async () => {
  const bot = { members: [{ bot: true as const }] };
  const stdin = ndjson([
    old("good", ["ann", "bob"], {
      mode: "casual",
      rosters: duel({ id: "ann", name: "Ann Ä" }, { id: "bob" }),
    }),
    old("mode", ["ann", "bob"], { createdAt: LATER, mode: "practice" }),
    old("ending", ["ann", "bob"], { ending: "notenoughplayers" }),
    old("exited", ["", ""], { ending: "exitpractice", rosters: [{ members: [] }, bot] }),
    old("unranked", ["ann", "cyd"], { mode: "private" }),
    old("released", ["dan", "cyd"], { mode: "private" }),
    old("evidence", ["dan", "bob"], {
      mode: "practice",
      rosters: duel({ id: "dan", stats: { played_ranked: 1 } }, { id: "bob" }),
    }),
    old("bots", ["", ""], { mode: "private", rosters: [bot, { members: [] }] }),
    old("elsewhere", ["", ""], {
      shard: "eu",
      rosters: [{ members: [], team: { id: "t", name: "T" } }, { members: [] }],
    }),
    old("wrong", ["ann", "bob"], { attributes: { duration: -1 } }),
  ]);
  expect((await matchbook(["ingest", "-"], { cwd, stdin })).exitCode).toBe(1);
});

const player = (id: string, ranked = false, name = `Name_${id}`) => ({ id, name, ranked });
const looked = (gameMode: string, players: object[], more: object = {}) => ({
  looked: { createdAt: AT, gameMode, endGameReason: "victory", players, ...more },
});
const served = {
  state: "served",
  detail: expect.stringMatching(/28 days.*filter\[createdAt-start\]/),
};
const withheld = (rule: number, reason: string, detail: RegExp) => ({
  ...{ state: "withheld", rule, reason },
  detail: expect.stringMatching(detail),
});
const unknown = { state: "unknown", detail: expect.stringContaining("na") };
const ANN_AND_BOB = [player("ann"), player("bob")];

describe("why", () => {
  /** With the printed text for one of each state. */
  const cases: [id: string, finding: object, ...texts: string[]][] = [
    [
      "good",
      { ...served, ...looked("casual", [player("ann", false, "Ann Ä"), player("bob")]) },
      '\n  createdAt      2023-03-01T18:30:00Z\n  gameMode       casual\n  endGameReason  victory\n  player         ann "Ann Ä" not ranked\n  player         bob "Name_bob" not ranked\n',
    ],
    [
      "mode",
      {
        ...withheld(1, "game-mode", /"practice".*ranked, casual, private.*blitz_pvp_ranked/),
        ...looked("practice", ANN_AND_BOB, { createdAt: LATER }),
      },
    ],
    [
      "ending",
      {
        ...withheld(2, "ending", /"notenoughplayers".*exitpractice.*notenoughplayers/),
        ...looked("ranked", ANN_AND_BOB, { endGameReason: "notenoughplayers" }),
      },
    ],
    [
      "unranked",
      {
        ...withheld(3, "no-ranked-player", /played_ranked >= 1/),
        ...looked("private", [player("ann"), player("cyd")]),
      },
      "withheld by rule 3 (no-ranked-player): ",
    ],
    ["released", { ...served, ...looked("private", [player("dan", true), player("cyd")]) }],
    ["never", unknown, "unknown: "],
    ["elsewhere", unknown],
  ];

  test.each(cases)("explains the match %s, as JSON and as text", async (id, finding, ...texts) => {
    const json = await run("why", "na", id, "--json");
    expect({ exitCode: json.exitCode, stderr: json.stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(JSON.parse(json.stdout)).toEqual({ shard: "na", match: id, ...finding });
    const { stdout } = await run("why", "na", id);
    for (const text of texts) expect(stdout).toContain(text);
    expect(stdout).toStartWith(JSON.parse(json.stdout).state);
  });

  test("reports a damaged match in one line, without a stack", async () => {
    mkdirSync(join(cwd, "damaged"));
    const file = join(cwd, "damaged/na.db");
    copyFileSync(join(cwd, "data/na.db"), file);
    sqliteRows(file).change("match", { id: "good" }, ({ document }) => ({
      document: inverted(document, -1),
    }));
    const { exitCode, stdout, stderr } = await run("why", "na", "good", "--data", "damaged");
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(/^matchbook: .*good.* damaged .*backup.*\n$/);
  });

  test("knows an empty shard of the settings", async () => {
    const { stdout } = await run("why", "cn", "good", ...listing({ cn: undefined, na: undefined }));
    expect(stdout).toMatch(/^unknown: .*\bcn\b/);
    expect(existsSync(join(cwd, "data/cn.db"))).toBe(false);
  });
});

describe("status", () => {
  const of = (id: string) => ({
    ...{ engine: "sqlite", location: `data/${id}.db`, problem: null },
    ...{ newestMatch: AT, bytes: statSync(join(cwd, `data/${id}.db`)).size },
  });
  const counts = (each: number) => ({ "game-mode": each, ending: each, "no-ranked-player": each });
  const EU = { served: 1, withheld: counts(0), players: 0, teams: 1 };

  test("has for each shard where it is, what is served and withheld, players, newest match and size", async () => {
    const { exitCode, stdout, stderr } = await run("status", "--json");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      eu: { ...of("eu"), ...EU },
      // Ann and Bob of one match, Dan and Cyd of the one that was released.
      na: { ...of("na"), served: 2, withheld: counts(2), players: 4, teams: 0 },
    });
    const table = (await run("status")).stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    const age = expect.stringMatching(/^2023-03-01T18:30:00Z \(\d+ days ago\)$/);
    const size = expect.stringMatching(/^\d+\.\d MiB$/);
    expect(table).toEqual([
      [
        ...["SHARD", "SERVED", "-MODE", "-ENDING", "-UNRANKED", "PLAYERS", "TEAMS"],
        ...["NEWEST MATCH", "SIZE", "LOCATION"],
      ],
      ["eu", "1", "0", "0", "0", "0", "1", age, size, "data/eu.db"],
      ["na", "2", "2", "2", "2", "4", "0", age, size, "data/na.db"],
    ]);
  });

  test("of a folder without shards says so, and creates nothing", async () => {
    expect((await run("status", "--json", "--data", "none")).stdout).toBe("{}\n");
    expect(existsSync(join(cwd, "none"))).toBe(false);
  });

  test("covers only the shards of the settings, if they list some; one that cannot be read is shown among them, without secrets", async () => {
    // Nothing listens there.
    const sa = "postgres://user:hidden@127.0.0.1:1/database?schema=sa";
    const flags = listing({ eu: undefined, new: undefined, sa });
    const table = await run("status", ...flags);
    const json = await run("status", "--json", ...flags);
    expect([table.exitCode, json.exitCode]).toEqual([1, 1]);
    const reason = /^sa: (.*postgres:\/\/127\.0\.0\.1:1\/database, schema sa.*refused.*)\n$/.exec(
      table.stderr,
    )?.[1];
    expect(reason).toBeString();
    expect(table.stdout).toMatch(/^sa +cannot be read +postgres:\/\/127\.0\.0\.1:1/m);
    expect(table.stdout).toMatch(/^new +none yet +/m);
    expect(table.stdout + table.stderr + json.stdout + json.stderr).not.toContain("hidden");
    expect(JSON.parse(json.stdout)).toEqual({
      eu: { ...of("eu"), ...EU },
      new: { engine: "sqlite", location: "data/new.db", problem: null },
      sa: {
        engine: "postgres",
        location: "postgres://127.0.0.1:1/database, schema sa",
        problem: reason,
      },
    });
  });
});
