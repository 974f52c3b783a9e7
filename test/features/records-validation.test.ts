/** What is rejected: every rule for records. The wording of each message is in test/docs/messages.json. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "../../src/domain/json.ts";
import { type Draft, draftOf, type Loose, written } from "../support/drafts.ts";
import { aMatch, anId, duel, type MatchDocument, minutesAgo } from "../support/records.ts";
import { startWorld, type World } from "../support/world.ts";
import { brokenRule, Undecided } from "../trial/fuzz/record-rules.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** A match "m" of rosters "m-r0" (ann and cyd, in team "red") and "m-r1" (bob and a bot). */
const sound = (id = "m"): MatchDocument =>
  aMatch({
    id,
    rosters: [
      { members: [{ id: "ann" }, { id: "cyd" }], team: { id: "red", name: "RED" } },
      { members: [{ id: "bob" }, { bot: true }] },
    ],
  });

/** The problems of a record that is made invalid in this way; those around it are stored. */
async function complaintsAbout(spoil: (draft: Draft) => unknown): Promise<string[]> {
  const draft = draftOf(sound());
  spoil(draft);
  const { report, rejections } = await world.ingest([aMatch(), draft.document, aMatch()]);
  expect(report).toMatchObject({ stored: 2, rejected: 1 });
  expect(rejections[0]!.origin).toEqual({ source: "test", line: 2 });
  return rejections[0]!.problems;
}

/** A problem that starts with a resource and a path, and mentions these words in this order. */
const about = (where: string, ...words: string[]) =>
  expect.stringMatching(
    new RegExp(
      [`^${RegExp.escape(where)}(?=[ :,])`, ...words.map(RegExp.escape)].join("[^]*"),
      "u",
    ),
  );

/** Every place in a resource, as the names that lead there. */
const placesIn = (node: Json): string[][] =>
  typeof node === "object" && node !== null
    ? Object.entries(node).flatMap(([name, inner]) => [
        [name],
        ...placesIn(inner).map((rest) => [name, ...rest]),
      ])
    : [];

const VALUES: (Json | undefined)[] = [
  ...[undefined, null, true, "", "x", "NA", 7, 1.5, -1],
  ...[[], {}, "\0", "n".repeat(257)],
];

/** What the rules say: whether a record is accepted; undefined if they leave it open. */
function verdict({ data, included }: Loose): boolean | undefined {
  try {
    return brokenRule(data, included, Date.now()) === undefined;
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}

test("with any value anywhere, a record is accepted or rejected by the rules, and the problem names the resource", async () => {
  const changed: { what: string; document: MatchDocument; named: string }[] = [];
  for (const [at, { type }] of [sound().data, ...sound().included].entries()) {
    const first = [sound().data, ...sound().included].findIndex((one) => one.type === type);
    if (at !== first) continue;
    for (const path of placesIn([sound().data, ...sound().included][at]!)) {
      for (const value of VALUES) {
        const document = sound(`m${changed.length}`);
        const resource = [document.data, ...document.included][at]!;
        // Another shard of the match is a problem of the others.
        const isOwn = path[0] === "attributes" && path[1] !== "shardId";
        const named = isOwn ? `${type} ${resource.id}: ` : "";
        const parent = path.slice(0, -1).reduce<Loose>((node, name) => node[name], resource);
        if (value === undefined) delete parent[path.at(-1)!];
        else parent[path.at(-1)!] = value;
        changed.push({
          what: `${type} ${path.join(".")} = ${JSON.stringify(value)}`,
          document,
          named,
        });
      }
    }
  }
  const decided = changed.filter(({ document }) => verdict(document) !== undefined);
  expect(decided.length).toBeGreaterThan(600);
  const { rejections } = await world.ingest(decided.map(({ document }) => document));
  const problems = new Map(rejections.map((one) => [one.origin.line, one.problems]));
  const isAccepted = decided.map(({ what }, at) => `${what}: ${!problems.has(at + 1)}`);
  expect(isAccepted).toEqual(decided.map(({ what, document }) => `${what}: ${verdict(document)}`));
  const unnamed = decided.filter(
    ({ named }, at) => problems.get(at + 1)?.some((one) => one.startsWith(named)) === false,
  );
  expect(unnamed.map(({ what }) => what)).toEqual([]);
});

const ROSTER = "roster/m-r0";
const PARTICIPANT = "participant/m-r0p0";
const PLAYER = "player/ann";
const TEAM = "team/red";
const asset = (id: string, more: JsonObject = {}) => ({ type: "asset", id, ...more });
const include =
  (...resources: Loose[]) =>
  (draft: Draft) =>
    draft.document.included.push(...resources);
const nested = (levels: number): Json => {
  let value: Json[] = [];
  for (let level = 1; level < levels; level++) value = [value];
  return value;
};

/** More of them are in test/docs/messages-records.ts. Each with the only problem, or the first of those that follow from it. */
const REJECTED: [what: string, spoil: (draft: Draft) => unknown, where: string, ...string[]][] = [
  [
    "a participant of two rosters",
    ({ at }) =>
      at("roster/m-r1").relationships.participants.data.push({ type: "participant", id: "m-r0p0" }),
    "roster m-r1: participants",
    PARTICIPANT,
  ],
  [
    "a participant twice in a roster",
    ({ at }) =>
      at(ROSTER).relationships.participants.data.push({ type: "participant", id: "m-r0p0" }),
    "roster m-r0: participants",
    PARTICIPANT,
  ],
  [
    "a player who takes part twice",
    ({ at }) =>
      (at("participant/m-r1p1").relationships = {
        player: { data: { type: "player", id: "ann" } },
      }),
    "participant m-r1p1: player",
    PLAYER,
  ],
  [
    "a cycle that nothing links to",
    include(
      asset("a1", { relationships: { next: { data: asset("a2") } } }),
      asset("a2", { relationships: { next: { data: asset("a1") } } }),
    ),
    "included",
    "asset/a1",
  ],
  [
    "the match among others",
    ({ document, match }) => document.included.push({ ...match }),
    "match/m",
    "once",
  ],
  ["what is no resource", include("asset"), "included", '"type"'],
  [
    "62 nested lists in a stat",
    ({ match }) => (match.attributes.stats.extra = nested(62)),
    `match m: ${`attributes.stats.extra${".0".repeat(61)}`.slice(0, 60)}…`,
    "64",
  ],
  [
    "a number beyond 2^53 in place of attributes",
    ({ document, match }) => {
      document.included.push({ type: "roster", id: "extra", attributes: written("1e20") });
      match.relationships.others = { data: [{ type: "roster", id: "extra" }] };
    },
    "roster extra: attributes",
    "2^53",
  ],
  [
    "one in compact stats",
    ({ match }) =>
      (match.attributes.stats = "endGameReason: victory, queue: ranked, extra: 9007199254740993"),
    "match m: attributes.stats.extra",
    "2^53",
  ],
];

test.each(REJECTED)("%s is rejected", async (_, spoil, where, ...words) => {
  const [first, ...others] = await complaintsAbout(spoil);
  expect(first).toEqual(about(where, ...words));
  expect(others.filter((one) => !one.startsWith("included "))).toEqual([]);
});

describe("a time", () => {
  test("may be up to ten minutes ahead of the clock, in any zone", async () => {
    const createdAt = minutesAgo(-11);
    const complaints = await complaintsAbout(
      ({ match }) => (match.attributes.createdAt = createdAt),
    );
    expect(complaints).toEqual([about("match m: attributes.createdAt", createdAt, "10 minutes")]);
    // The digits alone are an hour ahead; with the zone the time is in the past.
    const times = [minutesAgo(-9), `${minutesAgo(-60).slice(0, 19)}+02:00`, "1969-07-20T20:17:40Z"];
    const { report } = await world.ingest(times.map((time) => aMatch({ createdAt: time })));
    expect(report).toMatchObject({ stored: 3, rejected: 0 });
  });
});

describe("numbers beyond 2^53", () => {
  test.each([
    ..."9007199254740993 -9007199254740993 9007199254740993.0 9.007199254740993e15".split(" "),
    ..."900719925474099.3E+1 90071992547409930e-1 9007199254740994 1e20 1e400 -1e400".split(" "),
  ])("are rejected: %s", async (digits) => {
    const complaints = await complaintsAbout(
      ({ match }) => (match.attributes.stats.extra = written(digits)),
    );
    expect(complaints).toEqual([about("match m: attributes.stats.extra", "2^53")]);
  });

  test("are found wherever they occur, and each is named", async () => {
    const complaints = await complaintsAbout(({ at }) => {
      at(PARTICIPANT).attributes.stats.items = [{ deep: [1, written("9007199254740993")] }];
      at(PLAYER).meta = { seen: written("1e400") };
      at(ROSTER).attributes.stats.gold = written("9007199254740993");
    });
    expect(complaints).toEqual([
      about("roster m-r0: attributes.stats.gold", "2^53"),
      about("participant m-r0p0: attributes.stats.items.0.deep.1", "2^53"),
      about("player ann: meta.seen", "2^53"),
    ]);
  });
});

test("names of every script, ids of 64 characters, 2^53 itself and 61 nested lists are accepted, and served as sent", async () => {
  const names = [" a ", "玩家", "Игрок", "👩‍🚀", "a,b\\c", "'; --", "n".repeat(256)];
  const ids = ["q", "Q", `Az09_-${"x".repeat(58)}`];
  const stats = {
    ...{ a: 2 ** 53, b: -(2 ** 53), c: 4503599627370495.5, d: "9007199254740993", e: 1e-300 },
    ...{ f: written("9007199254740992.0"), g: written("9.007199254740992e15"), h: nested(61) },
  };
  const player = anId();
  const document = aMatch({
    rosters: [
      { members: names.map((name, at) => ({ id: `${player}-${at}`, name })) },
      // Two types may use the same id, and both rosters the same team.
      { members: [{ id: "same" }], team: { id: "same", name: "S" } },
    ],
    stats,
  });
  const others = ids.map((id) => {
    const draft = draftOf(aMatch({ rosters: [{ members: [] }, { members: [] }], shard: "ids" }));
    draft.match.id = id;
    return draft.document;
  });
  const { report, rejections } = await world.ingest([document, ...others]);
  expect(rejections.map(({ problems }) => problems)).toEqual([]);
  expect(report.stored).toBe(4);
  const { body } = await world.get(`/shards/na/matches/${document.data.id}`);
  expect(body.data.attributes.stats).toMatchObject({ ...stats, f: 2 ** 53, g: 2 ** 53 });
  for (const [at, name] of names.entries()) {
    const { data } = (await world.get(`/shards/na/players/${player}-${at}`)).body;
    expect(data.attributes.name).toBe(name);
  }
  for (const id of ids) {
    expect((await world.get(`/shards/ids/matches/${id}`)).body.data.id).toBe(id);
  }
});

test.each([
  ...[null, 5, "match", {}, { errors: [{ status: "404" }] }, { data: null }, { data: "match" }],
])("%j is not a document", async (document) => {
  const { report, rejections } = await world.ingest([document, aMatch()]);
  expect(report).toMatchObject({ stored: 1, rejected: 1 });
  expect(rejections[0]!.problems).toEqual([expect.stringMatching(/match document.*"data"/)]);
});

test("an empty page is valid and contains nothing", async () => {
  const { report } = await world.ingest([{ data: [] }, { data: [], included: [] }]);
  expect(report.rejected).toBe(0);
});

test("every problem of a record is reported at once, however many there are", async () => {
  const complaints = await complaintsAbout((draft) => {
    draft.match.attributes = {
      ...{ createdAt: "soon", duration: "long", gameMode: 1, patchVersion: 2, shardId: "NA" },
      stats: { endGameReason: 1, queue: 2, big: written("1e400") },
    };
    draft.match.relationships.rosters.data.push({ type: "squad", id: "?" });
    draft.at(ROSTER).attributes = { shardId: 1, won: 2, stats: { acesEarned: "x", gold: "y" } };
    draft.at("roster/m-r1").attributes.shardId = "eu";
    draft.at(PARTICIPANT).attributes.stats.farm = "z";
    draft.at(PLAYER).attributes.name = "";
    draft.drop(TEAM);
  });
  const ofMatch =
    "createdAt duration gameMode patchVersion shardId stats.endGameReason stats.queue";
  expect(complaints.map((one) => /^[^:]+: \S+/.exec(one)![0]).toSorted()).toEqual(
    [
      ...`${ofMatch} stats.big`.split(" ").map((name) => `match m: attributes.${name}`),
      ..."data data.2.type data.2.id"
        .split(" ")
        .map((name) => `match m: relationships.rosters.${name}`),
      ...["match m: rosters", "roster m-r0: team", "roster m-r1: attributes.shardId"],
      ..."shardId won stats.acesEarned stats.gold"
        .split(" ")
        .map((name) => `roster m-r0: attributes.${name}`),
      ...["participant m-r0p0: attributes.stats.farm", "player ann: attributes.name"],
      ...["ann", "bob", "cyd"].map((id) => `player ${id}: attributes.shardId`),
    ].toSorted(),
  );
});

describe("a page of matches:", () => {
  const page = (...documents: MatchDocument[]) => ({
    data: documents.map(({ data }) => data),
    included: documents.flatMap(({ included }) => included),
  });

  test("a resource that two players of a rejected match share is returned once", async () => {
    const badges = { badges: { data: [{ type: "badge", id: "b1" }] } };
    const draft = draftOf(aMatch({ id: "shares", rosters: duel({ id: "sue" }, { id: "tom" }) }));
    for (const name of ["sue", "tom"]) draft.at(`player/${name}`).relationships = badges;
    draft.document.included.push({ type: "badge", id: "b1" });
    draft.match.attributes.duration = "long";
    const { rejections } = await world.ingest([page(aMatch(), draft.document)]);
    expect(rejections[0]!.problems).toHaveLength(1);
    const fixed = draftOf(rejections[0]!.document as MatchDocument);
    fixed.match.attributes.duration = 5;
    const { report } = await world.ingest([fixed.document]);
    expect(report).toMatchObject({ stored: 1, rejected: 0 });
  });

  test("a resource that occurs twice causes only the matches that need it to be rejected, and one that no match links to none", async () => {
    const draft = draftOf(sound());
    const copy = { ...draft.at(TEAM), attributes: { name: "OTHER" } };
    const stray = { type: "asset", id: "stray" };
    const whole = page(aMatch(), draft.document);
    const { report, rejections } = await world.ingest([
      { ...whole, included: [...whole.included, copy, stray] },
    ]);
    expect(report).toMatchObject({ stored: 1, rejected: 2 });
    const about_ = (text: string) =>
      rejections.find(({ problems }) => problems.length === 1 && problems[0]!.includes(text))!;
    expect(about_("team/red").document!.included).toContainEqual(copy);
    expect(about_("asset/stray").document!.included).toEqual([stray]);
  });
});

test("a list on one line whose second document is invalid loses only that one", async () => {
  const { report, rejections } = await world.ingest([aMatch(), [aMatch(), { data: 5 }, aMatch()]]);
  expect(report).toMatchObject({ stored: 3, rejected: 1 });
  expect(rejections[0]!.document).toEqual({ data: 5 });
});
