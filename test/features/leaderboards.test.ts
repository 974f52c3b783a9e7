/** Tests leaderboards: their order and ranks, pages, periods, the depth, and what is refused. */

import { afterAll, describe, expect, test } from "bun:test";
import { idsOf } from "../support/compound.ts";
import { problemIn } from "../support/problems.ts";
import { aMatch, duel, type MatchDocument, type PlayerIn } from "../support/records.ts";
import { startWorld, type World } from "../support/world.ts";

const DAY = 86_400_000;
const NEWEST = Date.UTC(2026, 2, 1, 18, 30);
const FOE = { id: "foe", name: "Foe" };

let minutes = 0;
/** Matches of a player, oldest first, that end with the newest day. */
function play(
  player: PlayerIn,
  results: string,
  { daysAgo = 0, mode = "ranked" }: { daysAgo?: number; mode?: string } = {},
): MatchDocument[] {
  return [...results].map((result) =>
    aMatch({
      createdAt: NEWEST - daysAgo * DAY - 3_600_000 + 1000 * minutes++,
      mode,
      rosters: result === "w" ? duel(player, FOE) : duel(FOE, player),
    }),
  );
}

const tier = (skillTier: number) => ({ stats: { skillTier } });

const RECORDS = [
  ...play({ id: "old", name: "Old" }, "w".repeat(30), { daysAgo: 28 }),
  ...play({ id: "steady", name: "Steady", ...tier(7) }, `${"wl".repeat(10)}w`),
  ...play({ id: "best", name: "Best", ...tier(29) }, "w".repeat(20), { daysAgo: 27 }),
  ...play({ id: "few", name: "Few", ...tier(7) }, "w".repeat(19)),
  ...play({ id: "casual", name: "Casual", ...tier(-1) }, "ww", { mode: "casual" }),
  ...play({ id: "abroad", name: "Abroad" }, "w").map((document) => inShard(document, "eu")),
];
const world = await startWorld(RECORDS);
afterAll(() => world.stop());

function inShard(document: MatchDocument, shard: string): MatchDocument {
  return JSON.parse(JSON.stringify(document).replaceAll('"na"', `"${shard}"`));
}

const board = (path: string, where: World = world) => where.get(`/shards/na/leaderboards/${path}`);

interface Entry {
  id: string;
  attributes: { rank: number | null; value: number };
}

async function entries(path: string, where: World = world) {
  const { status, body } = await board(path, where);
  expect(status).toBe(200);
  return body.data.map(({ id, attributes }: Entry) => [id, attributes.rank, attributes.value]);
}

test("a leaderboard is a JSON:API document of entries, with its board, period and depth", async () => {
  const { body } = await board("skill-tier?page[limit]=1");
  expect(body).toEqual({
    data: [
      {
        type: "leaderboard-entry",
        id: "best",
        attributes: { rank: 1, name: "Best", value: 29 },
        relationships: { player: { data: { type: "player", id: "best" } } },
      },
    ],
    links: {
      self: `${world.url}/shards/na/leaderboards/skill-tier?page%5Blimit%5D=1`,
      next: `${world.url}/shards/na/leaderboards/skill-tier?page%5Blimit%5D=1&page%5Bafter%5D=t.best`,
    },
    meta: { board: "skill-tier", period: "all", depth: 1000 },
    jsonapi: { version: "1.1" },
  });
});

describe("the order", () => {
  test("skill-tier: the tier in the latest match; equal values have equal ranks, by id; others are not listed", async () => {
    expect(await entries("skill-tier")).toEqual([
      ["best", 1, 29],
      ["few", 2, 7],
      ["steady", 2, 7],
    ]);
  });

  test("ranked-wins: ranked matches won; players without any are not listed", async () => {
    expect(await entries("ranked-wins")).toEqual([
      ["old", 1, 30],
      ["best", 2, 20],
      ["few", 3, 19],
      ["steady", 4, 11],
      ["foe", 5, 10],
    ]);
  });

  test("win-rate: of those with at least 20 ranked matches, with four decimals and the number of matches", async () => {
    const { body } = await board("win-rate");
    expect(body.data.map(({ id, attributes }: Entry) => [id, attributes])).toEqual([
      ["best", { rank: 1, name: "Best", value: 1, matches: 20 }],
      ["old", { rank: 1, name: "Old", value: 1, matches: 30 }],
      ["steady", { rank: 3, name: "Steady", value: 0.5238, matches: 21 }],
      ["foe", { rank: 4, name: "Foe", value: 0.1111, matches: 90 }],
    ]);
  });

  test("win-streak: the current one, of all modes", async () => {
    expect(await entries("win-streak")).toEqual([
      ["old", 1, 30],
      ["best", 2, 20],
      ["few", 3, 19],
      ["casual", 4, 2],
      ["steady", 5, 1],
    ]);
  });

  test("each shard has its own", async () => {
    const { body } = await world.get("/shards/eu/leaderboards/ranked-wins");
    expect(idsOf(body)).toEqual(["abroad"]);
  });
});

describe("filter[period]=28d", () => {
  test("counts the 28 UTC days that end with the day of the newest match, which meta shows", async () => {
    expect(await entries("ranked-wins?filter[period]=28d")).toEqual([
      ["best", 1, 20],
      ["few", 2, 19],
      ["steady", 3, 11],
      ["foe", 4, 10],
    ]);
    expect(await entries("win-rate?filter[period]=28d")).toEqual([
      ["best", 1, 1],
      ["steady", 2, 0.5238],
      ["foe", 3, 0.1667],
    ]);
    const { body } = await board("win-rate?filter[period]=28d");
    expect(body.meta).toEqual({
      board: "win-rate",
      period: "28d",
      window: { start: "2026-02-02T00:00:00Z", end: "2026-03-01T23:59:59.999Z" },
      depth: 1000,
    });
  });

  test("moves with a newer match, and back when the match is replaced by an older one", async () => {
    await using one = await startWorld([
      ...play({ id: "early" }, "w", { daysAgo: 27 }),
      ...play({ id: "late" }, "w"),
    ]);
    const recent = async () => {
      const { body, headers } = await board("ranked-wins?filter[period]=28d", one);
      return [idsOf(body), body.meta.window.end.slice(0, 10), headers.get("etag")];
    };
    const [before, firstDay, tag] = await recent();
    expect([before, firstDay]).toEqual([["early", "late"], "2026-03-01"]);
    const next = (createdAt: number) =>
      aMatch({ id: "next", createdAt, mode: "casual", rosters: duel({ id: "x" }, FOE) });
    await one.ingest([next(NEWEST + DAY)]);
    expect((await recent()).slice(0, 2)).toEqual([["late"], "2026-03-02"]);
    await one.ingest([next(NEWEST - DAY)], { replace: true });
    expect(await recent()).toEqual([before, firstDay, tag]);
  });

  test.each(["skill-tier", "win-streak"])(
    "is refused on %s, which shows the present state",
    async (name) => {
      const problem = problemIn(await board(`${name}?filter[period]=28d`));
      expect(problem).toMatchObject({
        status: "400",
        code: "invalid-parameter",
        source: { parameter: "filter[period]" },
      });
      expect(problem.detail).toContain("ranked-wins and win-rate");
    },
  );
});

describe("pages", () => {
  test("end at the depth; entries beyond it are found by id, without a rank", async () => {
    await using shallow = await startWorld(RECORDS, { "leaderboard-depth": "3" });
    const get = (path: string) => board(path, shallow);
    const { body } = await get("ranked-wins?page[limit]=2");
    expect(idsOf(body)).toEqual(["old", "best"]);
    const next = await shallow.get(body.links.next);
    expect(idsOf(next.body)).toEqual(["few"]);
    expect(next.body.links.next).toBeUndefined();
    expect(next.body.meta.depth).toBe(3);
    const beyond = await get("ranked-wins?page[after]=1.foe");
    expect([beyond.status, beyond.body.data]).toEqual([200, []]);
    const chosen = await get("ranked-wins?filter[playerIds]=foe,steady,few,nobody");
    expect(chosen.body.data.map(({ id, attributes }: Entry) => [id, attributes.rank])).toEqual([
      ["few", 3],
      ["steady", null],
      ["foe", null],
    ]);
  });

  test("filter[playerIds] returns the entries of these players with their ranks, instead of a page", async () => {
    expect(await entries("skill-tier?filter[playerIds]=steady,old,best,nobody")).toEqual([
      ["best", 1, 29],
      ["steady", 2, 7],
    ]);
    const { body } = await board("skill-tier?filter[playerIds]=steady");
    expect(Object.keys(body.links)).toEqual(["self"]);
  });
});

describe("refused:", () => {
  test("a board that does not exist, with those that do", async () => {
    const problem = problemIn(await board("kills"));
    expect(problem).toMatchObject({ status: "404", code: "not-found" });
    expect(problem.detail).toContain("skill-tier, ranked-wins, win-rate, win-streak");
  });

  test.each([
    ["page[limit]=101", "page[limit]", "invalid-parameter"],
    ["page[after]=x", "page[after]", "invalid-cursor"],
    ["page[after]=01.best", "page[after]", "invalid-cursor"],
    ["page[after]=zzzzzzzzzzz.best", "page[after]", "invalid-cursor"],
    ["page[after]=1.", "page[after]", "invalid-cursor"],
    ["filter[period]=7d", "filter[period]", "invalid-parameter"],
    ["filter[playerIds]=a&page[limit]=3", "page[limit]", "conflicting-parameters"],
    ["filter[playerIds]=a&page[after]=1.best", "page[after]", "conflicting-parameters"],
    [
      `filter[playerIds]=${Array.from({ length: 21 }, (_, at) => `p${at}`)}`,
      "filter[playerIds]",
      "too-many-values",
    ],
  ])("%s", async (query, parameter, code) => {
    const problem = problemIn(await board(`ranked-wins?${query}`));
    expect(problem).toMatchObject({ status: "400", code, source: { parameter } });
  });
});

test("a leaderboard does not count against the daily match quota, and has a tag that changes with it", async () => {
  await using one = await startWorld(play({ id: "ada", name: "Ada" }, "w"), {
    "matches-per-day": "1",
  });
  const first = await board("ranked-wins", one);
  const etag = first.headers.get("etag")!;
  const same = await one.get("/shards/na/leaderboards/ranked-wins", { "If-None-Match": etag });
  expect(same.status).toBe(304);
  await one.ingest(play({ id: "bob", name: "Bob" }, "ww"));
  const changed = await one.get("/shards/na/leaderboards/ranked-wins", { "If-None-Match": etag });
  expect(changed.status).toBe(200);
  expect(idsOf(changed.body)).toEqual(["bob", "ada"]);
});
