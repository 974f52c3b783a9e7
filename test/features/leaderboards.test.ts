/** Tests leaderboards: win rates, the days that move, and the depth. All else is compared with the model; what is refused is in requests.test.ts. */

import { afterAll, expect, test } from "bun:test";
import { idsOf } from "../support/compound.ts";
import { aMatch, duel, type MatchDocument, type PlayerIn } from "../support/records.ts";
import { startWorld, type World } from "../support/world.ts";

const DAY = 86_400_000;
const NEWEST = Date.UTC(2026, 2, 1, 18, 30);
const FOE = { id: "foe", name: "Foe" };

let minutes = 0;
/** Matches of a player, oldest first, that end with the newest day. */
function play(player: PlayerIn, results: string, daysAgo = 0): MatchDocument[] {
  return [...results].map((result) =>
    aMatch({
      createdAt: NEWEST - daysAgo * DAY - 3_600_000 + 1000 * minutes++,
      rosters: result === "w" ? duel(player, FOE) : duel(FOE, player),
    }),
  );
}

const RECORDS = [
  ...play({ id: "old", name: "Old" }, "w".repeat(30), 28),
  ...play({ id: "steady", name: "Steady" }, `${"wl".repeat(10)}w`),
  ...play({ id: "best", name: "Best" }, "w".repeat(20), 27),
  ...play({ id: "few", name: "Few" }, "w".repeat(19)),
];
const world = await startWorld(RECORDS);
afterAll(() => world.stop());

const board = (path: string, where: World = world) => where.get(`/shards/na/leaderboards/${path}`);

interface Entry {
  id: string;
  attributes: { rank: number | null; value: number };
}

/** Each with its rank and value. */
async function entries(path: string, where: World = world): Promise<string> {
  const { status, body } = await board(path, where);
  expect(status).toBe(200);
  const shown = ({ id, attributes: { rank, value } }: Entry) => `${id} ${rank} ${value}`;
  return body.data.map(shown).join(", ");
}

test("win-rate: of those with at least 20 ranked matches, with four decimals and the number of matches", async () => {
  const { body } = await board("win-rate");
  expect(body.data.map(({ id, attributes }: Entry) => [id, attributes])).toEqual([
    ["best", { rank: 1, name: "Best", value: 1, matches: 20 }],
    ["old", { rank: 1, name: "Old", value: 1, matches: 30 }],
    ["steady", { rank: 3, name: "Steady", value: 0.5238, matches: 21 }],
    ["foe", { rank: 4, name: "Foe", value: 0.1111, matches: 90 }],
  ]);
});

test("filter[period]=28d moves with a newer match, and back when the match is replaced by an older one", async () => {
  await using one = await startWorld([
    ...play({ id: "early" }, "w", 27),
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

test("pages end at the depth; entries beyond it are found by id, without a rank", async () => {
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
  const chosen = await entries("ranked-wins?filter[playerIds]=foe,steady,few,nobody", shallow);
  expect(chosen).toBe("few 3 19, steady null 11, foe null 10");
});
