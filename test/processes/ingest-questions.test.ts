/** Tests `matchbook why` and `matchbook status`. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inverted } from "../support/engine.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { shardsFile } from "../support/places.ts";
import { matchbook } from "../support/process.ts";
import { aMatch, duel } from "../support/records.ts";

// Several processes may share a slow machine.
const cwd = mkdtempSync(join(tmpdir(), "matchbook-questions-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const run = (...args: string[]) => matchbook(args, { cwd });
const listing = (shards: Record<string, string | undefined>) => [
  "--config",
  shardsFile(join(cwd, "listing.toml"), shards),
];

const SERVED_OF_OLD = expect.stringMatching(/28 days.*filter\[createdAt-start\]/);
const AT = "2023-03-01T18:30:00Z";
const LATER = "2023-03-02T18:30:00Z";
const privately = { createdAt: AT, mode: "private" };

beforeAll(async () => {
  const matches = [
    aMatch({
      id: "good",
      createdAt: AT,
      mode: "casual",
      rosters: duel({ id: "ann", name: "Ann Ä" }, { id: "bob" }),
    }),
    aMatch({
      id: "mode",
      createdAt: LATER,
      mode: "practice",
      rosters: duel({ id: "ann" }, { id: "bob" }),
    }),
    aMatch({
      id: "ending",
      createdAt: AT,
      ending: "notenoughplayers",
      rosters: duel({ id: "ann" }, { id: "bob" }),
    }),
    aMatch({
      id: "exited",
      createdAt: AT,
      ending: "exitpractice",
      rosters: [{ members: [] }, { members: [{ bot: true }] }],
    }),
    aMatch({ id: "unranked", ...privately, rosters: duel({ id: "ann" }, { id: "cyd" }) }),
    aMatch({ id: "released", ...privately, rosters: duel({ id: "dan" }, { id: "cyd" }) }),
    aMatch({
      id: "evidence",
      createdAt: AT,
      mode: "practice",
      rosters: duel({ id: "dan", stats: { played_ranked: 1 } }, { id: "bob" }),
    }),
    aMatch({ id: "bots", ...privately, rosters: [{ members: [{ bot: true }] }, { members: [] }] }),
    aMatch({
      id: "elsewhere",
      createdAt: AT,
      shard: "eu",
      rosters: [{ members: [], team: { id: "t", name: "T" } }, { members: [] }],
    }),
    aMatch({ id: "wrong", createdAt: AT, attributes: { duration: -1 } }),
  ];
  const stdin = matches.map((match) => `${JSON.stringify(match)}\n`).join("");
  expect((await matchbook(["ingest", "-"], { cwd, stdin })).exitCode).toBe(1);
});

/** Inverts the last byte of a record. */
function damageRecord(file: string, id: string): void {
  const rows = sqliteRows(file);
  const isStored = rows.rows("match", { id }).length > 0;
  rows.change(isStored ? "match" : "withheld match", { id }, ({ document }) => ({
    document: inverted(document, -1),
  }));
}

const player = (id: string, ranked = false, name = `Name_${id}`) => ({ id, name, ranked });

describe("why", () => {
  /** With the printed text for one of each state. */
  const cases: [id: string, finding: object, text: string | undefined][] = [
    [
      "good",
      {
        state: "served",
        detail: SERVED_OF_OLD,
        looked: {
          createdAt: AT,
          gameMode: "casual",
          endGameReason: "victory",
          players: [player("ann", false, "Ann Ä"), player("bob")],
        },
      },
      '\n  createdAt      2023-03-01T18:30:00Z\n  gameMode       casual\n  endGameReason  victory\n  player         ann "Ann Ä" not ranked\n  player         bob "Name_bob" not ranked\n',
    ],
    [
      "mode",
      {
        state: "withheld",
        rule: 1,
        reason: "game-mode",
        detail: expect.stringMatching(/"practice".*ranked, casual, private.*blitz_pvp_ranked/),
        looked: {
          createdAt: LATER,
          gameMode: "practice",
          endGameReason: "victory",
          players: [player("ann"), player("bob")],
        },
      },
      undefined,
    ],
    [
      "ending",
      {
        state: "withheld",
        rule: 2,
        reason: "ending",
        detail: expect.stringMatching(/"notenoughplayers".*exitpractice.*notenoughplayers/),
        looked: {
          createdAt: AT,
          gameMode: "ranked",
          endGameReason: "notenoughplayers",
          players: [player("ann"), player("bob")],
        },
      },
      undefined,
    ],
    [
      "unranked",
      {
        state: "withheld",
        rule: 3,
        reason: "no-ranked-player",
        detail: expect.stringContaining("played_ranked >= 1"),
        looked: {
          createdAt: AT,
          gameMode: "private",
          endGameReason: "victory",
          players: [player("ann"), player("cyd")],
        },
      },
      "withheld by rule 3 (no-ranked-player): ",
    ],
    [
      "released",
      {
        state: "served",
        detail: SERVED_OF_OLD,
        looked: {
          createdAt: AT,
          gameMode: "private",
          endGameReason: "victory",
          players: [player("dan", true), player("cyd")],
        },
      },
      undefined,
    ],
    [
      "never",
      {
        state: "unknown",
        detail: expect.stringContaining("na"),
      },
      "unknown: ",
    ],
    [
      "elsewhere",
      {
        state: "unknown",
        detail: expect.stringContaining("na"),
      },
      undefined,
    ],
  ];

  test.each(cases)("explains the match %s, as JSON and as text", async (id, finding, text) => {
    const json = await run("why", "na", id, "--json");
    expect({ exitCode: json.exitCode, stderr: json.stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(JSON.parse(json.stdout)).toEqual({ shard: "na", match: id, ...finding });
    if (text === undefined) return;
    const plain = await run("why", "na", id);
    expect({ exitCode: plain.exitCode, stderr: plain.stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(plain.stdout).toContain(text);
    expect(plain.stdout).toStartWith(JSON.parse(json.stdout).state);
  });

  test("fails for an unknown shard, and lists those that exist", async () => {
    for (const flags of [[], ["--json"]]) {
      const { exitCode, stdout, stderr } = await run("why", "sa", "good", ...flags);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
      expect(stderr).toMatch(/^matchbook: .*"sa".* na\?.*: eu, na\n$/);
    }
    expect(existsSync(join(cwd, "data/sa.db"))).toBe(false);
  });

  test("reports a damaged match in one line, without a stack", async () => {
    mkdirSync(join(cwd, "damaged"));
    copyFileSync(join(cwd, "data/na.db"), join(cwd, "damaged/na.db"));
    damageRecord(join(cwd, "damaged/na.db"), "good");
    const { exitCode, stdout, stderr } = await run("why", "na", "good", "--data", "damaged");
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(/^matchbook: .*good.* damaged .*backup.*\n$/);
  });

  test("knows an empty shard of the settings", async () => {
    const { stdout } = await run("why", "cn", "good", ...listing({ cn: undefined, na: undefined }));
    expect(stdout).toMatch(/^unknown: .*\bcn\b/);
  });
});

describe("status", () => {
  test("as JSON has for each shard where it is, what is served and withheld, players, newest match and size", async () => {
    const { exitCode, stdout, stderr } = await run("status", "--json");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const status = JSON.parse(stdout);
    expect(status).toEqual({
      eu: {
        engine: "sqlite",
        location: "data/eu.db",
        problem: null,
        served: 1,
        withheld: { "game-mode": 0, ending: 0, "no-ranked-player": 0 },
        players: 0,
        teams: 1,
        newestMatch: AT,
        bytes: expect.any(Number),
      },
      na: {
        engine: "sqlite",
        location: "data/na.db",
        problem: null,
        served: 2,
        withheld: { "game-mode": 2, ending: 2, "no-ranked-player": 2 },
        // Ann and Bob of one match, Dan and Cyd of the one that was released.
        players: 4,
        teams: 0,
        newestMatch: AT,
        bytes: expect.any(Number),
      },
    });
    expect(status.na.bytes).toBe(statSync(join(cwd, "data/na.db")).size);
  });

  test("as a table has one line per shard", async () => {
    const { exitCode, stdout, stderr } = await run("status");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const [head, ...shards] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(head).toEqual([
      "SHARD",
      "SERVED",
      "-MODE",
      "-ENDING",
      "-UNRANKED",
      "PLAYERS",
      "TEAMS",
      "NEWEST MATCH",
      "SIZE",
      "LOCATION",
    ]);
    const age = expect.stringMatching(/^2023-03-01T18:30:00Z \(\d+ days ago\)$/);
    const size = expect.stringMatching(/^\d+\.\d MiB$/);
    expect(shards).toEqual([
      ["eu", "1", "0", "0", "0", "0", "1", age, size, "data/eu.db"],
      ["na", "2", "2", "2", "2", "4", "0", age, size, "data/na.db"],
    ]);
  });

  test("of a folder without shards says so, and creates nothing", async () => {
    const { exitCode, stdout, stderr } = await run("status", "--data", "none");
    expect([exitCode, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("No shards in none");
    expect((await run("status", "--json", "--data", "none")).stdout).toBe("{}\n");
    expect(existsSync(join(cwd, "none"))).toBe(false);
  });

  test("covers only the shards of the settings, if they list some", async () => {
    const { stdout } = await run("status", "--json", ...listing({ eu: undefined }));
    expect(Object.keys(JSON.parse(stdout))).toEqual(["eu"]);
  });
});
