/** Tests name suggestions: players whose name is close to what was typed. The filters stay exact. */

import { afterAll, describe, expect, test } from "bun:test";
import { idsOf } from "../support/compound.ts";
import { problemIn, problemsIn } from "../support/problems.ts";
import { aMatch, anId, duel, minutesAgo, type PlayerIn } from "../support/records.ts";
import { startWorld, type World } from "../support/world.ts";

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
  play({ id: "zoe", name: "Zoë" }),
  play({ id: "dragon", name: "龙的传人" }),
  play({ id: "wizard", name: "Волшебник" }),
  play({ id: "fox", name: "🦊Foxy🦊" }),
  play({ id: "comma", name: "Love, lace" }),
  play({ id: "markup", name: '<img src="x">' }),
  play({ id: "blank", name: "   " }),
  play({ id: "unseen", name: "Unseen One" }, { mode: "practice" }),
  play({ id: "abroad", name: "Bernadette" }, { shard: "eu" }),
]);
afterAll(() => world.stop());

const near = (text: string, where: World = world) =>
  where.get(`/shards/na/player-names?filter[near]=${encodeURIComponent(text)}`);

async function ids(text: string): Promise<string[]> {
  const response = await near(text);
  expect(response.status).toBe(200);
  return idsOf(response.body);
}

async function refusal(query: string) {
  return problemIn(await world.get(`/shards/na/player-names${query}`));
}

test("the response is a JSON:API document of names, each with the id of its player", async () => {
  const { body } = await near("Adda");
  expect(body).toEqual({
    data: [{ type: "player-name", id: "ada", attributes: { name: "Ada", shardId: "na" } }],
    links: { self: `${world.url}/shards/na/player-names?filter%5Bnear%5D=Adda` },
    jsonapi: { version: "1.1" },
  });
});

describe("a name is found", () => {
  test.each([
    ["as it is", "Lonewolf42", "wolf"],
    ["in other case", "LONEWOLF42", "wolf"],
    ["without its spaces", "gracehopper", "grace"],
    ["with spaces added", "Lone wolf 42", "wolf"],
    ["with spaces at the ends", "  Lonewolf42 ", "wolf"],
    ["without its punctuation", "xxdarkknightxx", "knight"],
    ["by its beginning", "Lonew", "wolf"],
    ["by its first letter", "g", "grace"],
    ["with a letter missing", "Lonwolf42", "wolf"],
    ["with the first letter missing", "onewolf42", "wolf"],
    ["with a letter too many", "Lonewollf42", "wolf"],
    ["with another letter", "Lonewalf42", "wolf"],
    ["with another first letter", "Bonewolf42", "wolf"],
    ["with another last letter", "Lonewolf43", "wolf"],
    ["with two letters swapped", "Lnoewolf42", "wolf"],
    ["with two other letters", "Lanewalf42", "wolf"],
    ["with two letters missing", "Lnewof42", "wolf"],
    ["with two letters too many", "Loonewolff42", "wolf"],
    ["with two typos at once: swapped, and another", "Olnewolf52", "wolf"],
    ["with two typos far apart", "Monewolf43", "wolf"],
    ["without its accent", "Zoe", "zoe"],
    ["with its accent as a combining character", "Zoe\u0308", "zoe"],
    ["in another script, with another character", "龙之传人", "dragon"],
    ["in another script, by its beginning", "龙的", "dragon"],
    ["in another script and other case", "волШебнки", "wizard"],
    ["with emoji, or without one of them", "foxy🦊", "fox"],
    ["with a comma in it, which is not a separator here", "love,lace", "comma"],
    ["with markup in it, as text", '<img src="y">', "markup"],
    ["even if it is only spaces", "   ", "blank"],
  ])("%s: %s", async (_, typed, id) => {
    expect((await ids(typed))[0]).toBe(id);
  });

  test.each([
    ["three letters wrong", "Lxnxwxlf42"],
    ["of a record that is withheld", "Unseen One"],
    ["of another shard", "Bernadette"],
    ["like nobody's", "qqqqqqqq"],
  ])("never with %s", async (_, typed) => {
    expect(await ids(typed)).toEqual([]);
  });

  test("with spaces as + and as %20", async () => {
    for (const typed of ["grace+hoper", "grace%20hoper"]) {
      const { body } = await world.get(`/shards/na/player-names?filter[near]=${typed}`);
      expect(idsOf(body)).toEqual(["grace"]);
    }
  });
});

test("the filters stay exact", async () => {
  for (const path of ["players", "matches"]) {
    const { body } = await world.get(`/shards/na/${path}?filter[playerNames]=Adda,ada,ADA`);
    expect(body.data).toEqual([]);
  }
});

describe("the list", () => {
  const crowd = (name: string, number: number) => play({ id: `${name}-${number}`, name });

  test("has the closest names first, ten at most", async () => {
    const names = ["Mira", "Mia", "mira", "Miranda", "Mirabelle", "Moira", "Mina", "Maria"];
    const more = Array.from({ length: 8 }, (_, number) => `Miracle${number}`);
    const full = await startWorld([...names, ...more].map(crowd));
    try {
      const { body } = await near("mira", full);
      const found = body.data.map((one: { attributes: { name: string } }) => one.attributes.name);
      expect(found).toEqual([
        ...["mira", "Mira", "Mina", "Mia", "Moira", "Miranda"],
        ...["Miracle0", "Miracle1", "Miracle2", "Miracle3"],
      ]);
    } finally {
      await full.stop();
    }
  });

  test("has at most three players with the same name, by id, and other names after them", async () => {
    const full = await startWorld([
      ...Array.from({ length: 12 }, (_, number) => crowd("Mira", 30 - number)),
      crowd("Miri", 1),
    ]);
    try {
      const { body } = await near("mira", full);
      expect(idsOf(body)).toEqual(["Mira-19", "Mira-20", "Mira-21", "Miri-1"]);
    } finally {
      await full.stop();
    }
  });
});

test("names are current: a new one is found at once, an old one no longer", async () => {
  const fresh = await startWorld([play({ id: "p", name: "Oldname" }, { id: "first" })]);
  try {
    expect(idsOf((await near("oldnam", fresh)).body)).toEqual(["p"]);
    await fresh.ingest([play({ id: "p", name: "Renamed" })]);
    expect(idsOf((await near("oldnam", fresh)).body)).toEqual([]);
    expect(idsOf((await near("renamd", fresh)).body)).toEqual(["p"]);
  } finally {
    await fresh.stop();
  }
});

describe("these are refused:", () => {
  test.each(["", "?filter[near]=", "?filter[near]"])("no name at all: %s", async (query) => {
    expect(await refusal(query)).toMatchObject({
      code: "empty-parameter",
      source: { parameter: "filter[near]" },
    });
  });

  test("a name of more than 64 characters, however many bytes they take", async () => {
    expect((await near("😀".repeat(64))).status).toBe(200);
    expect(await refusal(`?filter[near]=${"a".repeat(65)}`)).toMatchObject({
      code: "invalid-parameter",
    });
  });

  test("a character that no name has", async () => {
    expect(await refusal("?filter[near]=A%00da")).toMatchObject({ code: "invalid-parameter" });
  });

  test("a parameter of another endpoint, and an unknown one", async () => {
    const response = await world.get(
      "/shards/na/player-names?filter[near]=Ada&page[limit]=3&filter[naer]=Ada",
    );
    expect(problemsIn(response).map(({ code, source }) => [code, source?.parameter])).toEqual([
      ["unknown-parameter", "page[limit]"],
      ["unknown-parameter", "filter[naer]"],
    ]);
  });

  test("the same parameter twice", async () => {
    expect(await refusal("?filter[near]=Ada&filter[near]=Bo")).toMatchObject({
      code: "repeated-parameter",
    });
  });

  test("filter[near] on other endpoints", async () => {
    const response = await world.get("/shards/na/players?filter[near]=Ada");
    expect(problemIn(response).code).toBe("unknown-parameter");
  });
});

test("the ETag changes only when a player takes a matching name", async () => {
  const fresh = await startWorld([play({ id: "p", name: "Ada" })]);
  try {
    const first = await near("adda", fresh);
    const etag = first.headers.get("etag")!;
    await fresh.ingest([play({ id: "q", name: "Zebra" })]);
    const path = "/shards/na/player-names?filter[near]=adda";
    expect((await fresh.get(path, { "If-None-Match": etag })).status).toBe(304);
    await fresh.ingest([play({ id: "r", name: "Addy" })]);
    expect((await fresh.get(path, { "If-None-Match": etag })).status).toBe(200);
  } finally {
    await fresh.stop();
  }
});

test("the compatibility profile applies, but an empty list is not a 404", async () => {
  const lenient = await startWorld([play({ id: "p", name: "Ada" })], { compat: "gamelocker" });
  try {
    const path = "/shards/na/player-names?filter[near]=Adda&page[limit]=50&foo=bar&include=";
    const { body } = await lenient.get(path, { Accept: "application/json" });
    expect(body.data).toEqual([
      { type: "player-name", id: "p", attributes: { name: "Ada", shardId: "na" } },
    ]);
    expect(body.links.self).toBe(`${lenient.url}/shards/na/player-names?filter%5Bnear%5D=Adda`);
    expect((await near("qqqqqqqq", lenient)).body.data).toEqual([]);
    expect((await lenient.get("/shards/na/player-names?filter[near]=")).status).toBe(400);
  } finally {
    await lenient.stop();
  }
});
