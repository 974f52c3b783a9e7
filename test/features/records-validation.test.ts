/** What is rejected: every rule for records. The wording of each message is in test/docs/messages.json. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Json } from "../../src/domain/json.ts";
import { type Draft, draftOf, written } from "../support/drafts.ts";
import { aMatch, anId, duel, type MatchDocument, minutesAgo } from "../support/records.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** A match "m" of rosters "m-r0" (ann and cyd, in team "red") and "m-r1" (bob and a bot). */
function sound(): MatchDocument {
  return aMatch({
    id: "m",
    rosters: [
      { members: [{ id: "ann" }, { id: "cyd" }], team: { id: "red", name: "RED" } },
      { members: [{ id: "bob" }, { bot: true }] },
    ],
  });
}

const MATCH = "match/m";
const ROSTER = "roster/m-r0";
const PARTICIPANT = "participant/m-r0p0";
const PLAYER = "player/ann";
const TEAM = "team/red";

const find = (draft: Draft, key: string) => (key === MATCH ? draft.match : draft.at(key));
const called = (key: string) => key.replace("/", " ");

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A problem that starts with a resource and a path, and mentions these words in this order. */
const about = (where: string, ...words: string[]) =>
  expect.stringMatching(
    new RegExp([`^${escaped(where)}(?=[ :,])`, ...words.map(escaped)].join("[^]*"), "u"),
  );

/** All problems of the record once it is made invalid. */
async function complaintsAbout(spoil: (draft: Draft) => void): Promise<string[]> {
  const draft = draftOf(sound());
  spoil(draft);
  const { report, rejections } = await world.ingest([aMatch(), draft.document, aMatch()]);
  expect(report).toMatchObject({ stored: 2, rejected: 1 });
  expect(rejections[0]!.origin).toEqual({ source: "test", line: 2 });
  return rejections[0]!.problems;
}

test("the record that these tests change is valid", async () => {
  const shard = "sound";
  const draft = draftOf(aMatch({ shard }));
  expect((await world.ingest([draft.document])).report).toMatchObject({ stored: 1, rejected: 0 });
  const { rejections } = await world.ingest([sound()], { shard });
  // The shard is its only problem here, and no other test has stored any of it.
  expect(rejections[0]!.problems).toEqual([
    about("match m: attributes.shardId", '"na"', '"sound"'),
  ]);
});

describe("a key that the API defines is required:", () => {
  test.each([
    [MATCH, "createdAt"],
    [MATCH, "duration"],
    [MATCH, "gameMode"],
    [MATCH, "patchVersion"],
    [MATCH, "shardId"],
    [MATCH, "stats"],
    [ROSTER, "stats"],
    [ROSTER, "won"],
    [PARTICIPANT, "actor"],
    [PARTICIPANT, "stats"],
    [PLAYER, "name"],
    [TEAM, "name"],
  ])("%s, %s", async (key, name) => {
    const complaints = await complaintsAbout((draft) => delete find(draft, key).attributes[name]);
    expect(complaints).toEqual([about(`${called(key)}: attributes`, name)]);
  });

  test.each([
    [MATCH, "endGameReason"],
    [MATCH, "queue"],
    [ROSTER, "acesEarned"],
    [ROSTER, "gold"],
    [PARTICIPANT, "assists"],
    [PARTICIPANT, "crystalMineCaptures"],
    [PARTICIPANT, "deaths"],
    [PARTICIPANT, "farm"],
  ])("%s, stats.%s", async (key, name) => {
    const complaints = await complaintsAbout((draft) => {
      delete find(draft, key).attributes.stats[name];
    });
    expect(complaints).toEqual([about(`${called(key)}: attributes.stats`, name)]);
  });

  test.each([MATCH, ROSTER, PARTICIPANT, PLAYER, TEAM])("%s, attributes at all", async (key) => {
    const complaints = await complaintsAbout((draft) => delete find(draft, key).attributes);
    expect(complaints).toEqual([about(`${called(key)}:`, "attributes")]);
  });

  test("several at once are listed in one message", async () => {
    const complaints = await complaintsAbout((draft) => {
      draft.at(PARTICIPANT).attributes.stats = {};
    });
    const missing = ["assists", "crystalMineCaptures", "deaths", "farm"];
    expect(complaints).toEqual([about("participant m-r0p0: attributes.stats", ...missing)]);
  });

  test("match, id", async () => {
    const complaints = await complaintsAbout((draft) => delete draft.match.id);
    expect(complaints).toEqual([about("match", "id")]);
  });
});

describe("a key that the API defines must have its type:", () => {
  test.each([
    [MATCH, "createdAt", 1_700_000_000],
    [MATCH, "duration", "1200"],
    [MATCH, "duration", 12.5],
    [MATCH, "duration", null],
    [MATCH, "duration", -1],
    [MATCH, "gameMode", 5],
    [MATCH, "patchVersion", 2.5],
    [MATCH, "shardId", 5],
    [MATCH, "stats", []],
    [MATCH, "stats", 5],
    [MATCH, "stats.endGameReason", 1],
    [MATCH, "stats.queue", false],
    [ROSTER, "shardId", ["na"]],
    [ROSTER, "stats", "acesEarned: 1"],
    [ROSTER, "stats.acesEarned", "3"],
    [ROSTER, "stats.acesEarned", 0.5],
    [ROSTER, "stats.gold", {}],
    [ROSTER, "stats.gold", 30_000.5],
    [ROSTER, "won", "yes"],
    [ROSTER, "won", 1],
    [PARTICIPANT, "actor", null],
    [PARTICIPANT, "stats", []],
    [PARTICIPANT, "stats.assists", "4"],
    [PARTICIPANT, "stats.crystalMineCaptures", true],
    [PARTICIPANT, "stats.deaths", 1.5],
    [PARTICIPANT, "stats.farm", "62.85"],
    [PLAYER, "name", 740],
    [PLAYER, "patchVersion", 2.5],
    [PLAYER, "shardId", 5],
    [PLAYER, "titleID", 5],
    [PLAYER, "stats", []],
    [PLAYER, "stats.lossStreak", 1.5],
    [PLAYER, "stats.winStreak", "2"],
    [PLAYER, "stats.lifetimeGold", "9.5"],
    [PLAYER, "stats.played", 1.5],
    [PLAYER, "stats.wins", null],
    [PLAYER, "stats.played_ranked", "1"],
    [TEAM, "name", ["RED"]],
    [TEAM, "shardId", 5],
  ])("%s, %s = %j", async (key, path, value) => {
    const complaints = await complaintsAbout((draft) => {
      const { attributes } = find(draft, key);
      const name = path.replace("stats.", "");
      (path === name ? attributes : attributes.stats)[name] = value;
    });
    expect(complaints).toEqual([about(`${called(key)}: attributes.${path}`)]);
  });

  test.each([
    ["data is a list in a to-one relationship", { data: [] }],
    ["data is missing", {}],
  ])("player relationship: %s", async (_, player) => {
    const complaints = await complaintsAbout((draft) => {
      draft.at(PARTICIPANT).relationships = { player };
      draft.drop(PLAYER);
    });
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toMatch(/^participant m-r0p0: relationships\.player(\.data)? /);
  });

  test("attributes are an object", async () => {
    const complaints = await complaintsAbout((draft) => {
      draft.match.attributes = [];
    });
    expect(complaints).toEqual([about("match m: attributes")]);
  });
});

describe("names:", () => {
  test.each([
    [PLAYER, "name", "a\u0000b", "U+0000"],
    [TEAM, "name", "\u0000", "U+0000"],
    [MATCH, "gameMode", "ranked\u0000", "U+0000"],
    [MATCH, "patchVersion", "\u0000", "U+0000"],
    [PLAYER, "name", "", ""],
    [PLAYER, "name", "n".repeat(257), "256"],
  ])("%s, %s = %j is rejected", async (key, name, value, word) => {
    const complaints = await complaintsAbout((draft) => {
      find(draft, key).attributes[name] = value;
    });
    expect(complaints).toEqual([about(`${called(key)}: attributes.${name}`, word)]);
  });

  test("leading and trailing spaces, quotes, and letters of every script are allowed in names", async () => {
    for (const name of [
      " a ",
      "ends in a space ",
      "玩家",
      "Игрок",
      "👩‍🚀",
      "a,b\\c",
      "'; --",
      "n".repeat(256),
    ]) {
      const id = anId("player");
      const match = aMatch({ rosters: [{ members: [{ id, name }] }, { members: [] }] });
      expect((await world.ingest([match])).report.stored).toBe(1);
      expect((await world.get(`/shards/na/players/${id}`)).body.data.attributes.name).toBe(name);
    }
  });
});

describe("two rosters:", () => {
  test.each([0, 1, 3])("%d of them are rejected", async (count) => {
    const complaints = await complaintsAbout((draft) => {
      const { rosters } = draft.match.relationships;
      draft.document.included.push({ ...structuredClone(draft.at("roster/m-r1")), id: "m-r2" });
      draft.at("roster/m-r2").relationships.participants.data = [];
      rosters.data = ["m-r0", "m-r1", "m-r2"].map((id) => ({ type: "roster", id })).slice(0, count);
    });
    expect(complaints[0]).toEqual(about("match m: relationships.rosters.data"));
    expect(complaints.slice(1).every((one) => one.startsWith("included "))).toBe(true);
  });

  test("the same one twice is rejected", async () => {
    const complaints = await complaintsAbout((draft) => {
      draft.match.relationships.rosters.data[1].id = "m-r0";
      for (const key of ["roster/m-r1", "participant/m-r1p0", "participant/m-r1p1", "player/bob"]) {
        draft.drop(key);
      }
    });
    expect(complaints).toEqual([about("match m: rosters", "roster/m-r0")]);
  });

  test.each([
    ["no relationships", undefined, "match m:", "relationships"],
    ["no rosters", {}, "match m: relationships", "rosters"],
    [
      "one reference in place of a list",
      { rosters: { data: { type: "roster", id: "m-r0" } } },
      "match m: relationships.rosters.data",
      "",
    ],
  ])("%s", async (_, relationships, where, word) => {
    const complaints = await complaintsAbout((draft) => {
      draft.match.relationships = relationships;
    });
    expect(complaints[0]).toEqual(about(where, word));
  });
});

describe("references:", () => {
  test.each([
    ["a roster", ROSTER, "match m: rosters"],
    ["a participant", PARTICIPANT, "roster m-r0: participants"],
    ["a player", PLAYER, "participant m-r0p0: player"],
    ["a team", TEAM, "roster m-r0: team"],
  ])("%s that is named must be included", async (_, key, where) => {
    const complaints = await complaintsAbout((draft) => draft.drop(key));
    expect(complaints[0]).toEqual(about(where, key, "included"));
    expect(complaints.slice(1).every((one) => one.startsWith("included "))).toBe(true);
  });

  test("a participant belongs to one roster only", async () => {
    const complaints = await complaintsAbout((draft) => {
      draft
        .at("roster/m-r1")
        .relationships.participants.data.push({ type: "participant", id: "m-r0p0" });
    });
    expect(complaints).toEqual([about("roster m-r1: participants", "participant/m-r0p0")]);
  });

  test("a participant occurs in a roster once", async () => {
    const complaints = await complaintsAbout((draft) => {
      draft.at(ROSTER).relationships.participants.data.push({ type: "participant", id: "m-r0p0" });
    });
    expect(complaints).toEqual([about("roster m-r0: participants", "participant/m-r0p0")]);
  });

  test("a player takes part once", async () => {
    const complaints = await complaintsAbout((draft) => {
      draft.at("participant/m-r1p1").relationships = {
        player: { data: { type: "player", id: "ann" } },
      };
    });
    expect(complaints).toEqual([about("participant m-r1p1: player", "player/ann")]);
  });

  test("both rosters may have the same team", async () => {
    const draft = draftOf(
      aMatch({
        rosters: [
          { members: [{ bot: true }], team: { id: "both", name: "BOTH" } },
          { members: [{ bot: true }], team: { id: "both", name: "BOTH" } },
        ],
      }),
    );
    expect((await world.ingest([draft.document])).report.stored).toBe(1);
  });

  test("a reference must have the expected type", async () => {
    const complaints = await complaintsAbout((draft) => {
      draft.at(PARTICIPANT).relationships.player.data = { type: "guest", id: "ann" };
      draft.at(PLAYER).type = "guest";
    });
    expect(complaints).toEqual([
      about("participant m-r0p0: relationships.player.data.type", '"player"'),
      about("guest ann: type", '"player"'),
    ]);
  });

  test("unlinked resources are rejected rather than lost", async () => {
    const complaints = await complaintsAbout((draft) => {
      draft.document.included.push({
        type: "asset",
        id: "a1",
        attributes: { URL: "https://x.test" },
      });
    });
    expect(complaints).toEqual([about("included", "asset/a1")]);
  });

  test("a cycle of resources that only link to each other counts as unlinked", async () => {
    const to = (id: string) => ({ next: { data: { type: "asset", id } } });
    const complaints = await complaintsAbout((draft) => {
      draft.document.included.push(
        { type: "asset", id: "a1", relationships: to("a2") },
        { type: "asset", id: "a2", relationships: to("a1") },
      );
    });
    expect(complaints).toEqual([about("included", "asset/a1"), about("included", "asset/a2")]);
  });
});

describe("ids:", () => {
  test.each(["", "a b", "a/b", "ä", "a".repeat(65), "a\n"])("%j is invalid", async (id) => {
    const complaints = await complaintsAbout((draft) => {
      draft.match.id = id;
    });
    const shown = id.slice(0, 64).replace("\n", "\\u000a");
    expect(complaints).toEqual([about(`match ${shown}: id`, "64")]);
  });

  test("of included resources follow the same rule, and so do references", async () => {
    const complaints = await complaintsAbout((draft) => {
      draft.at(PLAYER).id = "an.n";
      draft.at(PARTICIPANT).relationships.player.data.id = "an.n";
    });
    expect(complaints).toEqual([
      about("participant m-r0p0: relationships.player.data.id", "64"),
      about("player an.n: id", "64"),
    ]);
  });

  test("1 and 64 characters of every allowed kind are valid, and case-sensitive", async () => {
    const long = `Az09_-${"x".repeat(58)}`;
    const matches = ["q", "Q", long].map((id) => {
      const draft = draftOf(aMatch({ shard: "ids", rosters: [{ members: [] }, { members: [] }] }));
      draft.match.id = id;
      return draft.document;
    });
    expect((await world.ingest(matches)).report.stored).toBe(3);
    for (const id of ["q", "Q", long]) {
      expect((await world.get(`/shards/ids/matches/${id}`)).body.data.id).toBe(id);
    }
  });

  test("a resource occurs in a document once", async () => {
    const complaints = await complaintsAbout((draft) => {
      draft.document.included.push({ ...draft.at(TEAM) });
    });
    expect(complaints).toEqual([about("team/red", "once")]);
  });

  test("the match itself is not among the included resources", async () => {
    const complaints = await complaintsAbout((draft) => {
      draft.document.included.push({ ...draft.match });
    });
    expect(complaints).toEqual([about("match/m", "once")]);
  });

  test("two types may use the same id", async () => {
    const draft = draftOf(
      aMatch({
        rosters: [{ members: [{ id: "same" }], team: { id: "same", name: "S" } }, { members: [] }],
      }),
    );
    expect((await world.ingest([draft.document])).report.stored).toBe(1);
  });

  test.each([
    ["without an id", { type: "asset" }],
    ["without a type", { id: "a" }],
    ["that is not an object", "asset"],
    ["whose id is a number", { type: "asset", id: 5 }],
  ])("an included resource %s is rejected", async (_, resource) => {
    const complaints = await complaintsAbout((draft) => draft.document.included.push(resource));
    expect(complaints).toEqual([about("included", '"type"', '"id"')]);
  });

  test.each([
    [MATCH, "attributes", "type", "ranked"],
    [PARTICIPANT, "attributes", "id", 7],
    [PLAYER, "relationships", "type", { data: [] }],
    [TEAM, "relationships", "id", { data: null }],
  ])("%s may not have %s named %s", async (key, fields, name, value) => {
    const complaints = await complaintsAbout((draft) => {
      const resource = find(draft, key);
      resource[fields] = { ...resource[fields], [name]: value };
    });
    expect(complaints).toEqual([about(`${called(key)}: ${fields}.${name}`, '"type"', '"id"')]);
  });

  test("the type of an additional resource is well-formed", async () => {
    const complaints = await complaintsAbout((draft) => {
      draft.match.relationships.assets = { data: [{ type: "as set", id: "a1" }] };
      draft.document.included.push({ type: "as set", id: "a1" });
    });
    expect(complaints).toEqual([about("as set a1: type", "64")]);
  });
});

describe("times:", () => {
  test.each([
    "yesterday",
    "",
    "2026-01-01",
    "2026-01-01T00:00:00",
    "2026-01-01 00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2025-02-29T12:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:60:00Z",
    "2026-01-01T00:00:00+25:00",
    "1767225600000",
  ])("%j is invalid", async (createdAt) => {
    const complaints = await complaintsAbout((draft) => {
      draft.match.attributes.createdAt = createdAt;
    });
    expect(complaints).toEqual([about("match m: attributes.createdAt", `"${createdAt}"`)]);
  });

  test("a match more than 10 minutes ahead of the clock is rejected", async () => {
    const createdAt = minutesAgo(-11);
    const complaints = await complaintsAbout((draft) => {
      draft.match.attributes.createdAt = createdAt;
    });
    expect(complaints).toEqual([about("match m: attributes.createdAt", createdAt, "10 minutes")]);
  });

  test("the check respects the time zone", async () => {
    // The digits alone are an hour ahead; with the zone the time is in the past.
    const createdAt = `${minutesAgo(-60).slice(0, 19)}+02:00`;
    expect((await world.ingest([aMatch({ createdAt })])).report.stored).toBe(1);
  });

  test("a match less than 10 minutes ahead of the clock is accepted", async () => {
    expect((await world.ingest([aMatch({ createdAt: minutesAgo(-9) })])).report.stored).toBe(1);
  });

  test("an old match is accepted", async () => {
    const match = aMatch({ createdAt: "1969-07-20T20:17:40Z" });
    expect((await world.ingest([match])).report.stored).toBe(1);
  });
});

describe("numbers beyond 2^53:", () => {
  test.each([
    "9007199254740993",
    "-9007199254740993",
    "9007199254740993.0",
    "9.007199254740993e15",
    "900719925474099.3E+1",
    "90071992547409930e-1",
    "9007199254740994",
    "9223372036854775807",
    "1e20",
    "1e400",
    "-1e400",
  ])("%s is rejected", async (digits) => {
    const complaints = await complaintsAbout((draft) => {
      draft.match.attributes.stats.extra = written(digits);
    });
    expect(complaints).toEqual([about("match m: attributes.stats.extra", "2^53")]);
  });

  test("are found wherever they occur, and each is named", async () => {
    const complaints = await complaintsAbout((draft) => {
      draft.at(PARTICIPANT).attributes.stats.items = [{ deep: [1, written("9007199254740993")] }];
      draft.at(PLAYER).meta = { seen: written("1e400") };
      draft.at(ROSTER).attributes.stats.gold = written("9007199254740993");
    });
    expect(complaints).toEqual([
      about("roster m-r0: attributes.stats.gold", "2^53"),
      about("participant m-r0p0: attributes.stats.items.0.deep.1", "2^53"),
      about("player ann: meta.seen", "2^53"),
    ]);
  });

  test("are found in place of attributes", async () => {
    const complaints = await complaintsAbout((draft) => {
      const extra = { type: "roster", id: "extra" };
      draft.document.included.push({ ...extra, attributes: written("1e20") });
      draft.match.relationships.others = { data: [extra] };
    });
    expect(complaints).toEqual([about("roster extra: attributes", "2^53")]);
  });

  test("are found in compact stats", async () => {
    const complaints = await complaintsAbout((draft) => {
      draft.match.attributes.stats =
        "endGameReason: victory, queue: ranked, extra: 9007199254740993";
    });
    expect(complaints).toEqual([about("match m: attributes.stats.extra", "2^53")]);
  });

  test("2^53 itself, large decimals and the digits as a string are kept", async () => {
    const stats = {
      a: 2 ** 53,
      b: -(2 ** 53),
      c: 4503599627370495.5,
      d: "9007199254740993",
      e: 1e-300,
      f: written("9007199254740992.0"),
      g: written("9.007199254740992e15"),
    };
    const match = aMatch({ stats });
    expect((await world.ingest([match])).report.stored).toBe(1);
    const { body } = await world.get(`/shards/na/matches/${match.data.id}`);
    expect(body.data.attributes.stats).toMatchObject({ ...stats, f: 2 ** 53, g: 2 ** 53 });
  });
});

describe("text and nesting:", () => {
  test.each([
    ["a value", { extra: "\ud800" }, "attributes.stats.extra"],
    ["a value in a list", { extra: ["ok", "x\udc00y"] }, "attributes.stats.extra.1"],
    ["a name", { "\udfff": 1 }, "attributes.stats"],
  ])("half of a surrogate pair in %s is rejected", async (_, stats, path) => {
    const complaints = await complaintsAbout((draft) =>
      Object.assign(draft.match.attributes.stats, stats),
    );
    expect(complaints).toEqual([about(`match m: ${path}`, "surrogate")]);
  });

  test("half of a surrogate pair in a player's name is rejected", async () => {
    const complaints = await complaintsAbout((draft) => {
      draft.at(PLAYER).attributes.name = "a\ud83d";
    });
    expect(complaints).toEqual([about("player ann: attributes.name", "surrogate")]);
  });

  const nested = (levels: number): Json => {
    let value: Json[] = [];
    for (let level = 1; level < levels; level++) value = [value];
    return value;
  };

  test.each([62, 10_000])("%d nested lists in a stat are too many", async (levels) => {
    const complaints = await complaintsAbout((draft) => {
      draft.match.attributes.stats.extra = nested(levels);
    });
    const path = `attributes.stats.extra${".0".repeat(61)}`.slice(0, 60);
    expect(complaints).toEqual([about(`match m: ${path}…`, "64")]);
  });

  test("61 nested lists in a stat are kept", async () => {
    const match = aMatch();
    const draft = draftOf(match);
    draft.match.attributes.stats.extra = nested(61);
    expect((await world.ingest([draft.document])).report.stored).toBe(1);
    const { body } = await world.get(`/shards/na/matches/${match.data.id}`);
    expect(body.data.attributes.stats.extra).toEqual(nested(61));
  });
});

describe("invalid documents:", () => {
  test.each([
    ["null", null],
    ["a number", 5],
    ["a string", "match"],
    ["an empty object", {}],
    ["an error document", { errors: [{ status: "404" }] }],
    ["data that is null", { data: null }],
    ["data that is a string", { data: "match" }],
  ])("%s", async (_, document) => {
    const { report, rejections } = await world.ingest([document, aMatch()]);
    expect(report).toMatchObject({ stored: 1, rejected: 1 });
    expect(rejections[0]!.problems).toEqual([expect.stringMatching(/match document.*"data"/)]);
  });

  test.each([
    ["a player document", { type: "player", id: "ann", attributes: {} }],
    ["no type", { id: "m" }],
  ])("%s", async (_, data) => {
    const { rejections } = await world.ingest([{ data }]);
    expect(rejections[0]!.problems).toEqual([about("data", '"match"')]);
  });

  test("included is not a list", async () => {
    const complaints = await complaintsAbout((draft) => {
      draft.document.included = {};
    });
    expect(complaints.at(-1)).toEqual(about("included"));
  });

  test("an empty page is valid and contains nothing", async () => {
    expect((await world.ingest([{ data: [] }, { data: [], included: [] }])).report.rejected).toBe(
      0,
    );
  });
});

test("every problem of a record is reported at once, however many there are", async () => {
  const complaints = await complaintsAbout((draft) => {
    draft.match.attributes = {
      createdAt: "soon",
      duration: "long",
      gameMode: 1,
      patchVersion: 2,
      shardId: "NA",
      stats: { endGameReason: 1, queue: 2, big: written("1e400") },
    };
    draft.match.relationships.rosters.data.push({ type: "squad", id: "?" });
    draft.at(ROSTER).attributes = { shardId: 1, won: 2, stats: { acesEarned: "x", gold: "y" } };
    draft.at("roster/m-r1").attributes.shardId = "eu";
    draft.at(PARTICIPANT).attributes.stats.farm = "z";
    draft.at(PLAYER).attributes.name = "";
    draft.drop(TEAM);
  });
  expect(complaints.map((one) => /^[^:]+: \S+/.exec(one)![0]).toSorted()).toEqual(
    [
      "match m: attributes.createdAt",
      "match m: attributes.duration",
      "match m: attributes.gameMode",
      "match m: attributes.patchVersion",
      "match m: attributes.shardId",
      "match m: attributes.stats.endGameReason",
      "match m: attributes.stats.queue",
      "match m: attributes.stats.big",
      "match m: relationships.rosters.data",
      "match m: relationships.rosters.data.2.type",
      "match m: relationships.rosters.data.2.id",
      "match m: rosters",
      "roster m-r0: attributes.shardId",
      "roster m-r0: attributes.won",
      "roster m-r0: attributes.stats.acesEarned",
      "roster m-r0: attributes.stats.gold",
      "roster m-r0: team",
      "roster m-r1: attributes.shardId",
      "participant m-r0p0: attributes.stats.farm",
      "player ann: attributes.name",
      "player ann: attributes.shardId",
      "player bob: attributes.shardId",
      "player cyd: attributes.shardId",
    ].toSorted(),
  );
});

describe("a page of matches:", () => {
  const page = (...documents: MatchDocument[]) => ({
    data: documents.map(({ data }) => data),
    included: documents.flatMap(({ included }) => included),
  });

  test("an invalid match is rejected alone, with what it includes", async () => {
    const draft = draftOf(sound());
    draft.match.attributes.duration = -5;
    const { report, rejections } = await world.ingest([page(aMatch(), draft.document, aMatch())]);
    expect(report).toMatchObject({ stored: 2, rejected: 1 });
    expect(rejections[0]!.problems).toEqual([about("match m: attributes.duration")]);
    expect(rejections[0]!.document!.data).toEqual(draft.match);
    const sent = draft.document.included as object[];
    expect(rejections[0]!.document!.included).toEqual(expect.arrayContaining(sent));
    expect(rejections[0]!.document!.included).toHaveLength(sent.length);
  });

  test("a resource that two players of a rejected match share is returned once", async () => {
    const badges = { badges: { data: [{ type: "badge", id: "b1" }] } };
    const draft = draftOf(aMatch({ id: "shares", rosters: duel({ id: "sue" }, { id: "tom" }) }));
    draft.at("player/sue").relationships = badges;
    draft.at("player/tom").relationships = badges;
    draft.document.included.push({ type: "badge", id: "b1" });
    draft.match.attributes.duration = "long";
    const { rejections } = await world.ingest([page(aMatch(), draft.document)]);
    expect(rejections[0]!.problems).toHaveLength(1);
    const fixed = draftOf(rejections[0]!.document as MatchDocument);
    fixed.match.attributes.duration = 5;
    expect((await world.ingest([fixed.document])).report).toMatchObject({
      stored: 1,
      rejected: 0,
    });
  });

  test("a resource that occurs twice causes only the matches that need it to be rejected", async () => {
    const draft = draftOf(sound());
    const copy = structuredClone(draft.at(TEAM));
    copy.attributes.name = "OTHER";
    const { report, rejections } = await world.ingest([
      page(aMatch(), { ...draft.document, included: [...draft.document.included, copy] }),
    ]);
    expect(report).toMatchObject({ stored: 1, rejected: 1 });
    expect(rejections[0]!.problems).toEqual([about("team/red", "once")]);
    expect(rejections[0]!.document!.included).toContainEqual(copy);
  });

  test("a resource that no match links to is rejected, while the matches are stored", async () => {
    const stray = { type: "asset", id: "stray" };
    const whole = page(aMatch(), aMatch());
    const { report, rejections } = await world.ingest([
      { ...whole, included: [...whole.included, stray] },
    ]);
    expect(report).toMatchObject({ stored: 2, rejected: 1 });
    expect(rejections[0]!.problems).toEqual([about("included", "asset/stray")]);
    expect(rejections[0]!.document!.included).toEqual([stray]);
  });
});

test("a list on one line whose second document is invalid loses only that one", async () => {
  const { report, rejections } = await world.ingest([aMatch(), [aMatch(), { data: 5 }, aMatch()]]);
  expect(report).toMatchObject({ stored: 3, rejected: 1 });
  expect(rejections[0]!.document).toEqual({ data: 5 });
});

test("nothing of a rejected record is stored: no match, players or teams", async () => {
  const draft = draftOf(
    aMatch({
      id: "half",
      rosters: [
        { members: [{ id: "half-1" }], team: { id: "half-t", name: "HALF" } },
        { members: [{ id: "half-2" }] },
      ],
    }),
  );
  draft.at("participant/half-r1p0").attributes.stats.deaths = "many";
  expect((await world.ingest([draft.document])).report).toMatchObject({ stored: 0, rejected: 1 });
  expect((await world.get("/shards/na/matches/half")).status).toBe(404);
  expect((await world.get("/shards/na/players/half-1")).status).toBe(404);
  const found = await world.get("/shards/na/matches?filter[teamNames]=HALF");
  expect(found.body.data).toEqual([]);
});

test("a rejected record can be sent again once it is fixed", async () => {
  const draft = draftOf(aMatch({ id: "mended" }));
  draft.match.attributes.stats.extra = written("9007199254740993");
  const { rejections } = await world.ingest([draft.document]);
  const text = JSON.stringify(rejections[0]!.document);
  expect(text).toContain("9007199254740993");
  const fixed = JSON.parse(text.replace("9007199254740993", '"9007199254740993"'));
  expect((await world.ingest([fixed])).report.stored).toBe(1);
  const { body } = await world.get("/shards/na/matches/mended");
  expect(body.data.attributes.stats.extra).toBe("9007199254740993");
});
