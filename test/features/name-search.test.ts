/** Tests name suggestions: players whose name is close to what was typed. The filters stay exact. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { idsOf } from "../support/compound.ts";
import { writeDamagedShard } from "../support/damaged-shard.ts";
import { serveWithKeys } from "../support/keys.ts";
import { aMatch, anId, duel, minutesAgo, type PlayerIn } from "../support/records.ts";
import { type Reply, startWorld, type World } from "../support/world.ts";

let minutes = 500;
/** A match of this player against one whose name resembles no other. */
const play = (player: PlayerIn, more: { id?: string; mode?: string; shard?: string } = {}) =>
  aMatch({
    ...more,
    createdAt: minutesAgo(minutes--),
    rosters: duel(player, { id: anId("extra"), name: "0000000000000000" }),
  });

const world = await startWorld([
  play({ id: "ada", name: "Ada" }),
  play({ id: "grace", name: "Grace Hopper" }),
  play({ id: "knight", name: "xX_DarkKnight_Xx" }),
  play({ id: "wolf", name: "Lonewolf42" }),
  play({ id: "comma", name: "Love, lace" }),
  play({ id: "gecko", name: "StormGecko139" }),
  play({ id: "drake", name: "FeralDrake" }),
  play({ id: "markup", name: '<img src="x">' }),
  play({ id: "blank", name: "   " }),
  play({ id: "unseen", name: "Unseen One" }, { mode: "practice" }),
  play({ id: "abroad", name: "Bernadette" }, { shard: "eu" }),
]);
afterAll(() => world.stop());

const near = (text: string, where: World = world) =>
  where.get(`/shards/na/player-names?filter[near]=${encodeURIComponent(text)}`);

/** Of the players with similar names. */
async function ids(text: string, where: World = world): Promise<string[]> {
  const response = await near(text, where);
  expect(response.status).toBe(200);
  return response.body.meta?.nearest ? [] : idsOf(response.body);
}

describe("a name is found", () => {
  test.each([
    ["with a comma in it, which is not a separator here", "love,lace", "comma"],
    ["with markup in it, as text", '<img src="y">', "markup"],
    ["even if it is only spaces", "   ", "blank"],
    ["by the id of its player", "knight", "knight"],
  ])("%s: %s", async (_, typed, id) => {
    expect((await ids(typed))[0]).toBe(id);
  });

  test("among the nearest ones, if none is similar", async () => {
    const { body } = await near("Lxnxwxlf42");
    expect(body.meta).toEqual({ nearest: true });
    expect(idsOf(body)[0]).toBe("wolf");
    expect(body.data.length).toBe(10);
  });

  test.each([
    ["of a record that is withheld", "Unseen One"],
    ["of another shard", "Bernadette"],
    ["like nobody's", "qqqqqqqq"],
  ])("never with %s", async (_, typed) => {
    expect(await ids(typed)).toEqual([]);
  });

  test("with spaces as + and as %20", async () => {
    for (const typed of ["grace+hoper", "grace%20hoper"]) {
      const { body } = await world.get(`/shards/na/player-names?filter[near]=${typed}`);
      expect(idsOf(body)[0]).toEqual("grace");
    }
  });
});

describe("the list", () => {
  const crowd = (name: string, number: number) => play({ id: `${name}-${number}`, name });

  test("has the closest names first, ten at most, and of those that fit alike the latest first", async () => {
    const names = [
      "Mira",
      "Mia",
      "mira",
      "Miranda",
      "Mirabelle",
      "Moira",
      "Mina",
      "xMira",
      "StarMira",
    ];
    await using full = await startWorld([...names, "Mirko", "Maria", "Mita", "Zelda"].map(crowd));
    const named = ({ body }: Reply) =>
      body.data.map((one: { attributes: { name: string } }) => one.attributes.name);
    const found = ["mira", "Mira", "Mirabelle", "Miranda", "StarMira", "xMira"];
    expect(named(await near("mira", full))).toEqual([...found, "Mita", "Mina", "Moira", "Mia"]);
    await full.ingest([crowd("Miranda", 3), crowd("xMira", 7)]);
    const swapped = ["mira", "Mira", "Miranda", "Mirabelle", "xMira", "StarMira"];
    expect(named(await near("mira", full))).toEqual([...swapped, "Mita", "Mina", "Moira", "Mia"]);
  });

  test("has at most three players with the same name, by id, and other names after them", async () => {
    await using full = await startWorld([
      ...Array.from({ length: 12 }, (_, number) => crowd("Mira", 30 - number)),
      crowd("Miri", 1),
    ]);
    const { body } = await near("mira", full);
    expect(idsOf(body).sort()).toEqual(["Mira-19", "Mira-20", "Mira-21", "Miri-1"]);
    expect(idsOf(body).at(-1)).toBe("Miri-1");
  });
});

test("names are current: a new one is found at once, an old one no longer", async () => {
  await using fresh = await startWorld([play({ id: "p", name: "Oldname" }, { id: "first" })]);
  expect(await ids("oldnam", fresh)).toEqual(["p"]);
  await fresh.ingest([play({ id: "p", name: "Renamed" })]);
  expect(await ids("oldnam", fresh)).toEqual([]);
  expect(await ids("renamd", fresh)).toEqual(["p"]);
});

test("a name may have 64 characters, however many bytes they take", async () => {
  expect((await near("😀".repeat(64))).status).toBe(200);
});

describe("the search in all shards", () => {
  const createdAt = minutesAgo(30);
  const inShard = (shard: string, id: string, name: string, minutes: number) =>
    aMatch({
      ...{ id: `match-${shard}`, shard, createdAt: minutesAgo(minutes) },
      rosters: duel({ id, name }, { id: anId("extra"), name: "0000000000000000" }),
    });
  const records = [
    inShard("na", "ada", "Ada", 9),
    inShard("eu", "adam", "Adam", 5),
    inShard("sg", "adamo", "Adamo", 2),
    // A player whose id is that of a match in another shard, and a match that is withheld.
    aMatch({ id: "both", shard: "na", createdAt }),
    aMatch({
      id: "eu-2",
      shard: "eu",
      createdAt,
      rosters: duel({ id: "both", name: "Zed" }, { id: "eu-x" }),
    }),
    aMatch({ id: "hidden", shard: "eu", mode: "practice" }),
  ];

  let all: World;
  beforeAll(async () => {
    all = await startWorld(records);
  });
  afterAll(() => all.stop());

  const everywhere = (text: string) => all.get(`/player-names?filter[near]=${text}`);

  /** With a key for these shards. */
  async function asked(shards: string[]) {
    const server = await serveWithKeys(all, [{ shards, rate: 10 }]);
    const { status, headers, body } = await server.ask("/player-names?filter[near]=ada");
    await server.stop();
    return { status, requestsLeft: headers.get("x-ratelimit-remaining"), body };
  }

  test("has the closest names of all of them first, then the latest, and counts as one request", async () => {
    const first = await everywhere("ada");
    expect(idsOf(first.body)).toEqual(["ada", "adamo", "adam"]);
    const shards = first.body.data.map(
      ({ attributes }: { attributes: { shardId: string } }) => attributes.shardId,
    );
    expect(shards).toEqual(["na", "sg", "eu"]);
    expect((await asked(["na", "eu", "sg"])).requestsLeft).toBe("9");
    const etag = first.headers.get("etag")!;
    const again = await all.get("/player-names?filter[near]=ada", { "If-None-Match": etag });
    expect(again.status).toBe(304);
  });

  test("finds a match by its id, before a player with this id, but not one that is withheld", async () => {
    const { body } = await everywhere("both");
    expect(body.data.slice(0, 2)).toMatchObject([
      { type: "match", id: "both", attributes: { shardId: "na", createdAt } },
      { type: "player-name", id: "both", attributes: { name: "Zed", shardId: "eu" } },
    ]);
    expect((await everywhere("hidden")).body.data).not.toContainEqual(
      expect.objectContaining({ type: "match" }),
    );
  });

  test("lists the nearest names only if no shard has a similar one", async () => {
    const { body } = await everywhere("adamoo");
    expect([idsOf(body), body.meta]).toEqual([["adamo", "adam"], undefined]);
    expect((await everywhere("qqqqqqqq")).body.meta).toEqual({ nearest: true });
  });

  test("leaves out the shards that the key may not read", async () => {
    const { body } = await asked(["eu", "sg"]);
    expect([idsOf(body), body.meta]).toEqual([["adamo", "adam"], undefined]);
  });

  test("has the results of the other shards if one cannot answer, and its error if none can", async () => {
    writeDamagedShard(join(all.data, "away.db"));
    const { body } = await everywhere("ada");
    expect([idsOf(body), body.meta]).toEqual([["ada", "adamo", "adam"], { unavailable: ["away"] }]);
    const none = await asked(["away"]);
    expect([none.status, none.body.errors[0].code]).toEqual([503, "shard-unavailable"]);
  });
});
