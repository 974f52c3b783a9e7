/** Tests the filters of GET /matches. */

import { afterAll, describe, expect, test } from "bun:test";
import { idsOf } from "../support/compound.ts";
import {
  aMatch,
  anId,
  duel,
  type MatchIn,
  minutesAgo,
  type PlayerIn,
  type RosterIn,
} from "../support/records.ts";
import { startWorld } from "../support/world.ts";

/** Each player plays one match, named after the player's id. */
const NAMES: Record<string, string> = {
  "upper-1": "Ada",
  "upper-2": "Ada",
  lower: "ada",
  "space-before": " Ada",
  "space-after": "Ada ",
  "space-inside": "Grace Hopper",
  "spaces-inside": "Grace  Hopper",
  comma: "Lovelace, Ada",
  "comma-only": ",",
  backslash: "back\\slash",
  "backslash-comma": "a\\,b",
  plus: "a+b",
  percent: "100%25",
  ampersand: "a&b=c#d?e",
  chinese: "艾达·洛夫莱斯",
  cyrillic: "Ада",
  emoji: "🎮🇳🇴",
  composed: "Zo\u00eb",
  decomposed: "Zoe\u0308",
  quote: "O'Brien\"; --",
  wildcard: "A%a_",
};

let minutes = 1000;
const nobody = (): PlayerIn => ({ id: anId("extra") });
const team = (id: string, name: string): RosterIn => ({ members: [nobody()], team: { id, name } });
const withoutTeam = (): RosterIn => ({ members: [nobody()] });

/** Matches of one patch, oldest first, by their ids: with these rosters, and others than ranked ones by their mode. */
const matchesOf = (
  patch: string,
  all: Record<string, { mode?: string; rosters: MatchIn["rosters"] & object }>,
) =>
  Object.entries(all).map(([id, wishes]) =>
    aMatch({ id, patch, createdAt: minutesAgo(minutes--), ...wishes }),
  );

const documents = [
  ...matchesOf("2.5", {
    "x-ranked-25": { rosters: duel({ id: "x" }, { id: "y" }) },
    "x-casual-25": { mode: "casual", rosters: duel({ id: "x" }, { id: "z" }) },
  }),
  ...matchesOf("2.6", {
    "x-casual-26": { mode: "casual", rosters: duel({ id: "z" }, { id: "x" }) },
    "y-casual-26": { mode: "casual", rosters: duel({ id: "y" }, { id: "z" }) },
  }),
  ...Object.entries(NAMES).flatMap(([id, name]) =>
    matchesOf("names", { [id]: { rosters: duel({ id: `p-${id}`, name }, nobody()) } }),
  ),
  ...matchesOf("renames", {
    "as-old": { rosters: duel({ id: "renamed", name: "Oldname" }, nobody()) },
    "as-new": { rosters: duel({ id: "renamed", name: "Newname" }, nobody()) },
    "team-old": { rosters: [team("t-renamed", "OLD"), withoutTeam()] },
    "team-new": { rosters: [withoutTeam(), team("t-renamed", "NEW")] },
  }),
  ...matchesOf("teams", {
    "abc-1": { rosters: [team("t-abc-1", "ABC"), withoutTeam()] },
    "abc-2": { rosters: [withoutTeam(), team("t-abc-2", "ABC")] },
    "abc-lower": { rosters: [team("t-abc-3", "abc"), withoutTeam()] },
    "abc-def": { rosters: [team("t-abc-1", "ABC"), team("t-def", "D,F")] },
  }),
  ...matchesOf("3.0, beta", { "patch-odd": { rosters: duel(nobody(), nobody()) } }),
  ...matchesOf("bots", {
    bots: { mode: "casual", rosters: [{ members: [{ bot: true }] }, { members: [{ bot: true }] }] },
  }),
  // The same name in another shard is a different player.
  aMatch({
    id: "elsewhere",
    shard: "eu",
    rosters: duel({ id: "p-eu", name: "Ada" }, { id: "p-eu-2" }),
  }),
];
const world = await startWorld(documents);
afterAll(() => world.stop());

const page = (query: string, shard = "na") => world.get(`/shards/${shard}/matches?${query}`);

/** All matches that a query finds, over all its pages. */
async function found(query: string, shard = "na"): Promise<string[]> {
  const ids: string[] = [];
  for (let offset = 0; ; offset += 5) {
    const response = await page(`${query}&page[offset]=${offset}`, shard);
    expect(response.status).toBe(200);
    ids.push(...idsOf(response.body));
    if (response.body.data.length < 5) return ids;
  }
}

const list = (...values: string[]) =>
  encodeURIComponent(values.map((value) => value.replace(/[\\,]/g, "\\$&")).join(","));

describe("filter[playerNames]", () => {
  test.each(Object.entries(NAMES).filter(([id]) => !id.startsWith("upper-")))(
    "finds exactly the player with this name: %s",
    async (id, name) => {
      expect(await found(`filter[playerNames]=${list(name)}`)).toEqual([id]);
    },
  );

  test("finds every player who has the name now", async () => {
    expect(await found("filter[playerNames]=Ada")).toEqual(["upper-1", "upper-2"]);
  });

  test("finds only players of this shard", async () => {
    expect(await found("filter[playerNames]=Ada", "eu")).toEqual(["elsewhere"]);
  });

  test("finds all matches of a player by the current name, including those under an old one", async () => {
    expect(await found("filter[playerNames]=Newname")).toEqual(["as-old", "as-new"]);
  });

  test("finds nothing by a name that nobody has any more", async () => {
    expect(await found("filter[playerNames]=Oldname")).toEqual([]);
  });

  test.each(["ADA", "Ad", "Ada%20%20", "Ada*", "Ad_", "%25", "Ada%00", "%EF%BB%BFAda"])(
    "finds nothing by a name that is only similar: %s",
    async (name) => {
      expect(await found(`filter[playerNames]=${name}`)).toEqual([]);
    },
  );
});

describe("filter[playerIds]", () => {
  test("finds matches of the player on either side", async () => {
    expect(await found("filter[playerIds]=x&filter[patchVersion]=2.5,2.6")).toEqual([
      "x-ranked-25",
      "x-casual-25",
      "x-casual-26",
    ]);
  });

  test.each(["nobody", "X", "p-eu", "not%20an%20id", "%F0%9F%8E%AE", "Ada"])(
    "finds nothing by an id that no player of this shard has: %s",
    async (id) => {
      expect(await found(`filter[playerIds]=${id}`)).toEqual([]);
    },
  );
});

describe("filter[teamNames]", () => {
  test("finds matches of a team with this tag, on either side", async () => {
    expect(await found("filter[teamNames]=ABC")).toEqual(["abc-1", "abc-2", "abc-def"]);
  });

  test("is case-sensitive", async () => {
    expect(await found("filter[teamNames]=abc")).toEqual(["abc-lower"]);
    expect(await found("filter[teamNames]=Abc")).toEqual([]);
  });

  test("accepts several tags, with commas in them escaped", async () => {
    expect(await found(`filter[teamNames]=${list("D,F", "abc")}`)).toEqual([
      "abc-lower",
      "abc-def",
    ]);
  });

  test("uses the current tag: it also finds older matches, and an old tag finds nothing", async () => {
    expect(await found("filter[teamNames]=NEW")).toEqual(["team-old", "team-new"]);
    expect(await found("filter[teamNames]=OLD")).toEqual([]);
  });
});

describe("filter[patchVersion]", () => {
  test("finds matches of exactly this patch", async () => {
    expect(await found("filter[patchVersion]=2.6")).toEqual(["x-casual-26", "y-casual-26"]);
    expect(await found("filter[patchVersion]=2")).toEqual([]);
    expect(await found("filter[patchVersion]=2.60")).toEqual([]);
  });

  test("accepts an escaped comma", async () => {
    expect(await found(`filter[patchVersion]=${list("3.0, beta")}`)).toEqual(["patch-odd"]);
  });
});

describe("different filters narrow together:", () => {
  test.each([
    ["filter[playerIds]=x&filter[gameMode]=casual&filter[patchVersion]=2.5", ["x-casual-25"]],
    [
      "filter[playerIds]=x&filter[gameMode]=casual&filter[patchVersion]=2.5,2.6",
      ["x-casual-25", "x-casual-26"],
    ],
    [
      "filter[playerIds]=x,y&filter[gameMode]=casual&filter[patchVersion]=2.6",
      ["x-casual-26", "y-casual-26"],
    ],
    ["filter[playerIds]=x&filter[playerNames]=Name_y", ["x-ranked-25"]],
    [
      "filter[playerIds]=z&filter[playerNames]=Name_x,Name_y&filter[patchVersion]=2.6",
      ["x-casual-26", "y-casual-26"],
    ],
    ["filter[playerIds]=x&filter[playerNames]=Nobody", []],
    ["filter[teamNames]=ABC&filter[playerIds]=x", []],
    [
      "filter[teamNames]=ABC&filter[gameMode]=ranked&filter[patchVersion]=teams",
      ["abc-1", "abc-2", "abc-def"],
    ],
    ["filter[teamNames]=ABC&filter[gameMode]=casual", []],
    ["filter[gameMode]=ranked&filter[patchVersion]=2.6", []],
  ])("%s", async (query, expected) => {
    expect(await found(query)).toEqual(expected);
    expect(await found(`${query}&sort=-createdAt`)).toEqual(expected.toReversed());
  });

  test("the window narrows as well", async () => {
    const [first] = documents;
    const { createdAt } = first!.data.attributes as { createdAt: string };
    expect(await found(`filter[playerIds]=x&filter[createdAt-end]=${createdAt}`)).toEqual([
      "x-ranked-25",
    ]);
  });
});

test("a match that only links a player, as a spectator, is not one of that player's matches", async () => {
  await world.ingest([
    aMatch({
      id: "watched",
      relationships: { spectators: { data: [{ type: "player", id: "spectator" }] } },
      included: [{ type: "player", id: "spectator", attributes: { name: "Spectator" } }],
    }),
  ]);
  expect((await world.get("/shards/na/matches/watched")).status).toBe(200);
  expect(await found("filter[playerIds]=spectator")).toEqual([]);
  expect(await found("filter[playerNames]=Spectator")).toEqual([]);
});

test("a match of bots only is served, and no player filter finds it", async () => {
  expect(await found("filter[patchVersion]=bots")).toEqual(["bots"]);
});
