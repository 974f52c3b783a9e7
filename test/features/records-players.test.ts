/** Tests lifetime player records: values of the latest match, and totals over all matches. */

import { afterAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/domain/json.ts";
import { type Loose, minute } from "../support/drafts.ts";
import {
  aMatch,
  anId,
  duel,
  type MatchDocument,
  type MatchIn,
  type PlayerIn,
} from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const world = await startWorld();
afterAll(() => world.stop());

const attributesOf = async (id: string): Promise<Loose> =>
  (await world.get(`/shards/na/players/${id}`)).body.data.attributes;
const statsOf = async (id: string): Promise<Loose> => (await attributesOf(id)).stats;

/** A match of this player at a minute, won by default. */
function played(player: PlayerIn, at: number, won = true, wishes: MatchIn = {}): MatchDocument {
  const other = { id: anId("other") };
  const rosters = won ? duel(player, other) : duel(other, player);
  return aMatch(minute(at, { rosters, mode: "casual", ...wishes }));
}

/** All permutations of a short list. */
function orders<T>(things: T[]): T[][] {
  if (things.length < 2) return [things];
  return things.flatMap((one, index) =>
    orders(things.toSpliced(index, 1)).map((rest) => [one, ...rest]),
  );
}

describe("streaks", () => {
  const run = async (results: string, batch = 10_000): Promise<Loose> => {
    const id = anId("runner");
    const matches = [...results].map((result, at) => played({ id }, at, result === "W"));
    await world.ingest(matches, { batch });
    const { winStreak, lossStreak } = await statsOf(id);
    return { winStreak, lossStreak };
  };

  test.each([
    ["W", 1, 0],
    ["L", 0, 1],
    ["WWW", 3, 0],
    ["WWL", 0, 1],
    ["LLW", 1, 0],
    ["WLWLLLL", 0, 4],
  ])("after %s are %d won and %d lost in a row", async (results, winStreak, lossStreak) => {
    expect(await run(results)).toEqual({ winStreak, lossStreak });
    expect(await run(results, 1)).toEqual({ winStreak, lossStreak });
  });

  test.each([
    ["a1", "a2"],
    ["a10", "a9"],
    ["A9", "a1"],
    ["Z", "_"],
    ["-", "0"],
    ["b", "b-"],
  ])("of matches with the same time, %s is the earlier and %s the later", async (first, last) => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const id = anId("tie");
      const matches = [
        played({ id, name: "First" }, 10, false, { id: `${id}-${first}` }),
        played({ id, name: "Last" }, 10, true, { id: `${id}-${last}` }),
      ];
      await world.ingest(
        order.map((index) => matches[index]!),
        { batch: 1 },
      );
      expect(await attributesOf(id)).toMatchObject({
        name: "Last",
        stats: { winStreak: 1, lossStreak: 0 },
      });
    }
  });
});

describe("lifetimeGold", () => {
  const goldAfter = async (golds: number[], batch = 10_000): Promise<number> => {
    const id = anId("rich");
    await world.ingest(
      golds.map((gold, at) => played({ id, gold }, at)),
      { batch },
    );
    return (await statsOf(id)).lifetimeGold;
  };

  test("is the sum of the gold of all matches, to the last decimal, in any order", async () => {
    // Added as floating-point numbers, these give three different sums.
    for (const golds of orders([0.1, 0.2, 0.3, 16844.25]))
      expect(await goldAfter(golds)).toBe(16844.85);
  });

  test.each([
    [[0.1, 0.7], 0.8],
    [[1.005, 2.015], 3.02],
    [[-5.5, 5.5], 0],
    [[0, 0], 0],
    [[1e9, 0.000001], 1000000000.000001],
    [[4503599627370496, 4503599627370496], 9007199254740992],
    [Array.from({ length: 100 }, () => 0.01), 1],
  ])("%j add up to %d", async (golds, sum) => {
    expect(await goldAfter(golds)).toBe(sum);
    expect(await goldAfter(golds.toReversed(), 1)).toBe(sum);
  });

  test("ignores participants without gold, or with gold that is not a number", async () => {
    const id = anId("poor");
    const without = played({ id }, 1);
    const worded = played({ id }, 2);
    const some = played({ id, gold: 2.5 }, 3);
    const goldOf = (match: MatchDocument): Loose =>
      (match.included as Loose[]).find((one) => one.relationships?.player?.data.id === id)
        .attributes.stats;
    delete goldOf(without).gold;
    goldOf(worded).gold = "much";
    await world.ingest([without, worded, some]);
    expect(await statsOf(id)).toMatchObject({ lifetimeGold: 2.5, played: 3 });
  });
});

describe("played, wins and played_ranked", () => {
  test("are taken from the record when it has all three", async () => {
    const id = anId("carried");
    const stats = { played: 400, wins: 180, played_ranked: 90 };
    await world.ingest([played({ id }, 1), played({ id, stats }, 2)]);
    expect(await statsOf(id)).toMatchObject(stats);
  });

  test.each<[JsonObject]>([
    [{ played: 400 }],
    [{ wins: 180 }],
    [{ played_ranked: 90 }],
    [{ played: 400, wins: 180 }],
    [{ played: 400, played_ranked: 90 }],
    [{ wins: 180, played_ranked: 90 }],
  ])("are all counted when the record has only %j, so that they agree", async (stats) => {
    const id = anId("partly");
    await world.ingest([
      played({ id }, 1, true, { mode: "ranked" }),
      played({ id, stats }, 2, false),
    ]);
    expect(await statsOf(id)).toMatchObject({ played: 2, wins: 1, played_ranked: 1 });
  });

  test("are counted again when the latest record no longer has them", async () => {
    const id = anId("dropped");
    const stats = { played: 400, wins: 180, played_ranked: 90 };
    await world.ingest([played({ id, stats }, 1), played({ id }, 2)]);
    expect(await statsOf(id)).toMatchObject({ played: 2, wins: 2, played_ranked: 0 });
  });
});

describe("the latest served match", () => {
  test.each([
    ["winStreak", 11],
    ["lossStreak", 12],
    ["lifetimeGold", 1234567.89],
  ])("provides %s if it has it, and the others are computed", async (name, value) => {
    const id = anId("saying");
    await world.ingest([
      played({ id, gold: 1 }, 1, false),
      played({ id, gold: 2, stats: { [name]: value } }, 2),
    ]);
    expect(await statsOf(id)).toMatchObject({
      winStreak: 1,
      lossStreak: 0,
      lifetimeGold: 3,
      [name]: value,
    });
  });

  test("alone provides the recorded values: nothing is left over from earlier ones", async () => {
    const id = anId("latest");
    const first = played(
      { id, stats: { level: 3, elo: 1500, winStreak: 9 }, attributes: { country: "NO" } },
      1,
    );
    const second = played({ id, stats: { level: 4 } }, 2);
    await world.ingest([first, second]);
    const { stats, ...attributes } = await attributesOf(id);
    expect(attributes).not.toHaveProperty("country");
    expect(stats).toEqual({
      level: 4,
      winStreak: 2,
      lossStreak: 0,
      lifetimeGold: 2000.5,
      played: 2,
      wins: 2,
      played_ranked: 0,
    });
  });
});

test("a match that a player only watched does not count in its totals", async () => {
  const id = anId("watcher");
  const attributes = { name: "Watcher", patchVersion: "2.5", shardId: "na", titleID: "t" };
  const watched = aMatch(
    minute(9, {
      relationships: { spectators: { data: [{ type: "participant", id: "seat" }] } },
      included: [
        {
          type: "participant",
          id: "seat",
          attributes: {
            actor: "*Crow*",
            stats: { gold: 5, assists: 0, crystalMineCaptures: 0, deaths: 0, farm: 0 },
          },
          relationships: { player: { data: { type: "player", id } } },
        },
        { type: "player", id, attributes },
      ],
    }),
  );
  await world.ingest([played({ id, gold: 3 }, 1), watched]);
  expect(await statsOf(id)).toMatchObject({
    played: 1,
    wins: 1,
    winStreak: 1,
    lifetimeGold: 3,
    played_ranked: 0,
  });
  const { body } = await world.get(`/shards/na/matches?filter[playerIds]=${id}`);
  expect(body.data).toHaveLength(1);
});

test("without a filter, the six most recently seen players are returned, ties by id", async () => {
  const seen = (at: number, ...ids: string[]) =>
    aMatch(
      minute(at, {
        shard: "recent",
        mode: "casual",
        rosters: [{ members: ids.map((id) => ({ id })) }, { members: [] }],
      }),
    );
  const list = async () =>
    (await world.get("/shards/recent/players")).body.data.map(({ id }: Loose) => id);
  await world.ingest([seen(1, "a", "b"), seen(3, "d", "c"), seen(2, "e", "f"), seen(0, "g")]);
  expect(await list()).toEqual(["c", "d", "e", "f", "a", "b"]);
  await world.ingest([seen(9, "b"), seen(1, "f")]);
  expect(await list()).toEqual(["b", "c", "d", "e", "f", "a"]);
});

test("a match counts for a player whose participant has the id of a roster", async () => {
  const [id, match] = [anId("player"), anId("match")];
  const document = JSON.stringify(played({ id }, 1, true, { id: match }));
  await world.ingest([JSON.parse(document.replaceAll(`${match}-r0p0`, `${match}-r0`))]);
  expect(await statsOf(id)).toMatchObject({ played: 1, wins: 1, winStreak: 1 });
});
