/** Tests `matchbook status`, `matchbook shards digest`, and what a move prints about the settings. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { shuffled } from "../support/demo.ts";
import { homeAt, linesOf, matchbookAt, shardsFile } from "../support/places.ts";
import { matchbook } from "../support/process.ts";
import { aMatch, duel } from "../support/records.ts";
import { aFolder, startWorld } from "../support/world.ts";

const folder = aFolder();
const path = (name: string) => join(folder.path, name);
const data = path("data");
const now = Date.now();
const newest = aMatch({ shard: "eu", createdAt: Date.UTC(2024, 1, 29) });

beforeAll(async () => {
  const records = [
    aMatch({ shard: "na" }),
    aMatch({ shard: "na", mode: "private" }),
    aMatch({ shard: "eu", createdAt: Date.UTC(2024, 1, 28) }),
    newest,
  ];
  const stdin = records.map((one) => JSON.stringify(one)).join("\n");
  expect((await matchbook(["ingest", "-", "--data", data], { stdin })).exitCode).toBe(0);
});
afterAll(() => folder.remove());

/** Nothing listens there. */
const UNREACHABLE = "postgres://user:hidden@127.0.0.1:1/database?schema=sa";

describe("status", () => {
  test("shows a shard that cannot be read among the others, without secrets", async () => {
    const shards = { eu: undefined, new: undefined, sa: UNREACHABLE };
    const env = { MATCHBOOK_CONFIG: shardsFile(path("away.toml"), shards) };
    const table = await matchbook(["status", "--data", data], { env });
    const json = await matchbook(["status", "--data", data, "--json"], { env });
    expect([table.exitCode, json.exitCode]).toEqual([1, 1]);
    const reason = /^sa: (.*postgres:\/\/127\.0\.0\.1:1\/database, schema sa.*refused.*)\n$/.exec(
      table.stderr,
    )?.[1];
    expect(reason).toBeString();
    expect(table.stdout).toMatch(/^sa +cannot be read +postgres:\/\/127\.0\.0\.1:1/m);
    expect(table.stdout).toMatch(/^new +none yet +/m);
    expect(table.stdout + table.stderr + json.stdout + json.stderr).not.toContain("hidden");
    expect(JSON.parse(json.stdout)).toEqual({
      eu: {
        engine: "sqlite",
        location: join(data, "eu.db"),
        problem: null,
        served: 2,
        withheld: { "game-mode": 0, ending: 0, "no-ranked-player": 0 },
        players: expect.any(Number),
        teams: 0,
        newestMatch: "2024-02-29T00:00:00Z",
        bytes: expect.any(Number),
      },
      new: { engine: "sqlite", location: join(data, "new.db"), problem: null },
      sa: {
        engine: "postgres",
        location: "postgres://127.0.0.1:1/database, schema sa",
        problem: reason,
      },
    });
  });
});

describe("shards digest", () => {
  const digestOf = async (home: string) => {
    const { stdout } = await matchbookAt(home, ["shards", "digest", "na", "--json"]);
    return JSON.parse(stdout);
  };

  test("is the SHA-256 of what is served, line by line", async () => {
    const ana = { id: "ana" };
    const ben = { id: "ben", name: "Ben ☃" };
    const team = { id: "team", name: "TAG" };
    const rosters = duel(ana, ben);
    rosters[0].team = team;
    const world = await startWorld([
      aMatch({ id: "later", createdAt: now - 1000, rosters: duel(ben, ana) }),
      aMatch({ id: "earlier", createdAt: now - 2000, rosters }),
      aMatch({ id: "hidden", mode: "unheard-of" }),
    ]);
    try {
      const responses = [
        (await world.get("/shards/na/matches/earlier")).body,
        (await world.get("/shards/na/matches/later")).body,
      ];
      type Resource = { type: string; id: string };
      const shared = (one: Resource) => one.type === "player" || one.type === "team";
      const lines = responses.flatMap(({ data, included }) => [
        JSON.stringify(data),
        included
          .filter((one: Resource) => !shared(one))
          .map((one: Resource) => JSON.stringify(one))
          .join(),
      ]);
      const named = (type: string, id: string) =>
        responses[0].included.find((one: Resource) => one.type === type && one.id === id);
      for (const [type, id] of [
        ["player", "ana"],
        ["player", "ben"],
        ["team", "team"],
      ] as const) {
        lines.push(JSON.stringify(named(type, id)), "");
      }
      lines.push('{"matches":2,"players":2,"teams":1}', "");
      const digest = createHash("sha256").update(lines.join("\n")).digest("hex");

      const args = ["shards", "digest", "na", "--data", world.data];
      expect(JSON.parse((await matchbook([...args, "--json"])).stdout)).toEqual({
        shard: "na",
        digest,
        matches: 2,
        players: 2,
        teams: 1,
      });
      expect((await matchbook(args)).stdout).toBe(
        `shard    na\ndigest   ${digest}\nmatches  2\nplayers  2\nteams    1\n`,
      );
    } finally {
      await world.stop();
    }
  });

  test("depends on the records, not on how they were ingested", async () => {
    const lines = linesOf("na", 150, now);
    const one = homeAt(path("one"), `sqlite:${path("one.db")}`);
    const other = homeAt(path("other"), `sqlite:${path("other.db")}`);
    await matchbookAt(one, ["ingest", "-"], lines.join("\n"));
    await matchbookAt(other, ["ingest", "-", "--batch", "7"], shuffled(lines, 3).join("\n"));
    const digest = await digestOf(one);
    expect(await digestOf(other)).toEqual(digest);
    await matchbookAt(other, ["ingest", "-"], JSON.stringify(aMatch({ shard: "na" })));
    expect((await digestOf(other)).digest).not.toBe(digest.digest);
  });
});

test("a move names the table of the settings to change, and refuses the location of another shard", async () => {
  const move = (to: string) =>
    matchbook(["shards", "move", "eu", "--to", `sqlite:${to}`, "--data", data]);
  const moved = await move(path("listed.db"));
  expect([moved.exitCode, moved.stderr]).toEqual([0, ""]);
  expect(moved.stdout).toContain("[shards.eu]");
  const refused = await move(join(data, "na.db"));
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringContaining("holds the records of shard na"),
  ]);
});
