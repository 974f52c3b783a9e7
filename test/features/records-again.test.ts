/** Tests a match that is ingested a second time: unchanged, changed, or as a replacement. */

import { afterAll, describe, expect, test } from "bun:test";
import type { Json } from "../../src/domain/json.ts";
import { difference, expectedOf } from "../model/question.ts";
import { Questions } from "../model/questions.ts";
import type { Thing } from "../model/record.ts";
import { State } from "../model/state.ts";
import { draftOf, type Loose, minute } from "../support/drafts.ts";
import { aMatch, anId, duel, type MatchIn, type RosterIn } from "../support/records.ts";
import { damageOf, verified } from "../support/verify.ts";
import { startWorld } from "../support/world.ts";

const world = await startWorld();
afterAll(() => world.stop());

const shuffled = (value: Loose): Loose => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, shuffled(member)]),
  );
};

describe("a match with a known id", () => {
  test.each<[what: string, outcome: string, whose: string, path: string, value: Json]>([
    // Neither the spelling counts nor what players and teams are like at that time.
    [
      "its time in another zone",
      "duplicate",
      "match/m",
      "createdAt",
      "2023-03-01T20:30:00.0001+02:00",
    ],
    ["a boolean for a text", "duplicate", "roster/m-r0", "won", true],
    ["the attributes of a player", "duplicate", "player/b", "name", "Now"],
    ["the stats of a player", "duplicate", "player/b", "stats", { level: 99, winStreak: 5 }],
    ["the tag of a team", "duplicate", "team/t", "name", "NOW"],
    ["an attribute", "conflict", "match/m", "duration", 1201],
    ["an extra attribute", "conflict", "match/m", "extra", null],
    ["the order of a list", "conflict", "match/m", "stats.list", [2, 1]],
    ["the type of a value", "conflict", "match/m", "stats.number", "1"],
    ["its time by a millisecond", "conflict", "match/m", "createdAt", "2023-03-01T18:30:00.001Z"],
    ["a relationship", "conflict", "match/m", "/relationships.rounds", { data: [] }],
    ["a member beside the attributes", "conflict", "match/m", "/meta", {}],
    ["a roster", "conflict", "roster/m-r0", "won", "false"],
    ["a participant", "conflict", "participant/m-r0p0", "stats.deaths", 9],
    ["who takes part", "conflict", "participant/m-r0p0", "/relationships.player", { data: null }],
    ["what a player links to", "conflict", "player/b", "/relationships", { assets: { data: [] } }],
    ["what a team links to", "conflict", "team/t", "/relationships", { assets: { data: [] } }],
    ["a further resource", "conflict", "asset/x", "URL", "https://other.test"],
  ])(
    "that differs in %s is a %s, and the first is kept",
    async (_, outcome, whose, path, value) => {
      const shard = anId("again");
      const match = aMatch({
        id: "m",
        shard,
        createdAt: "2023-03-01T18:30:00Z",
        rosters: [
          { members: [{ id: "a" }], team: { id: "t", name: "TAG" } },
          { members: [{ id: "b" }, { bot: true }] },
        ],
        stats: { list: [1, 2], number: 1 },
        relationships: {
          assets: { data: [{ type: "asset", id: "x" }] },
          // The players are also linked here, so that one can lose its participant.
          mentions: { data: ["a", "b"].map((id) => ({ type: "player", id })) },
        },
        included: [{ type: "asset", id: "x", attributes: { URL: "https://x.test" } }],
      });
      await world.ingest([match]);
      const view = () => world.get(`/shards/${shard}/matches/m`);
      const before = await view();
      const draft = draftOf(match);
      const steps = (path.startsWith("/") ? path.slice(1) : `attributes.${path}`).split(".");
      const last = steps.pop()!;
      const start = whose === "match/m" ? draft.match : draft.at(whose);
      steps.reduce((at, step) => at[step], start)[last] = value;

      const { report, conflicts } = await world.ingest([aMatch(), draft.document, aMatch()]);
      const counts = { stored: 2, conflict: 0, duplicate: 0, rejected: 0, [outcome]: 1 };
      expect(report).toMatchObject(counts);
      expect(conflicts).toEqual(outcome === "conflict" ? ["m"] : []);
      expect((await view()).text).toBe(before.text);
    },
  );

  test("is a duplicate in another order of members and resources, and counts once, also within a batch", async () => {
    const match = aMatch({
      rosters: duel({ id: "once", gold: 10 }, { id: "b" }),
      stats: { list: [1, 2], nested: { a: 1, b: [{ c: 1, d: 2 }] } },
    });
    const again = shuffled(match);
    again.included.reverse();
    const other = draftOf(match);
    other.match.attributes.duration = 5;
    const { report } = await world.ingest([match, again, other.document, match]);
    expect(report).toMatchObject({ stored: 1, duplicate: 2, conflict: 1 });
    const { body } = await world.get("/shards/na/players/once");
    expect(body.data.attributes.stats).toMatchObject({ played: 1, winStreak: 1, lifetimeGold: 10 });
  });

  test("is one while it is withheld, too", async () => {
    const match = aMatch({ mode: "practice" });
    const { report } = await world.ingest([match, match, aMatch({ id: match.data.id as string })]);
    expect(report).toMatchObject({ duplicate: 1, conflict: 1, withheld: { "game-mode": 1 } });
    expect((await world.get(`/shards/na/matches/${match.data.id}`)).status).toBe(404);
  });

  test("does not block new matches, however many known ones come first", async () => {
    // Large enough that several chunks are read after the first batch is stored.
    const many = (count: number) =>
      Array.from({ length: count }, () =>
        aMatch({ shard: "known", stats: { text: "x".repeat(9000) } }),
      );
    const [known, fresh] = [many(120), many(10)];
    await world.ingest(known);
    const mixed = [...known.slice(0, 75), fresh[0]!, ...known.slice(75), ...fresh.slice(1)];
    const { report } = await world.ingest(mixed, { batch: 10 });
    expect(report).toMatchObject({ stored: 10, duplicate: 120, conflict: 0, rejected: 0 });
  });
});

describe("a replacement leaves the same state as if only the new record had been ingested:", () => {
  const ann = { id: "ann", name: "Ann", gold: 100.1 };
  const bob = { id: "bob", name: "Bob", gold: 200.2 };
  const cyd = { id: "cyd", name: "Cyd", gold: 0.7 };
  const dan = { id: "dan", name: "Dan" };
  const team = { id: "t", name: "TEAM" };
  const x = (at: number, wishes: MatchIn) => aMatch(minute(at, { id: "x", ...wishes }));
  const casual = { mode: "casual" };
  /** Other matches before and after the one in question. */
  const others = [
    aMatch(minute(10, { id: "o1", rosters: duel(ann, bob), patch: "2.4", ...casual })),
    aMatch(minute(20, { id: "o2", rosters: duel(bob, { ...ann, name: "Ann II" }), ...casual })),
    aMatch(
      minute(40, { id: "o3", rosters: [{ members: [ann], team }, { members: [bob] }], ...casual }),
    ),
    aMatch(minute(45, { id: "o4", mode: "private", rosters: duel(bob, cyd) })),
  ];
  const nobody: [RosterIn, RosterIn] = [{ members: [{ bot: true }] }, { members: [] }];
  const renamed = { ...ann, name: "New" };
  const entering = (name: string): [RosterIn, RosterIn] => [
    { members: [ann], team: { ...team, name } },
    { members: [] },
  ];
  const says = { ...cyd, stats: { played_ranked: 3 } };

  test.each<[string, ReturnType<typeof x>, ReturnType<typeof x>]>([
    ["another winner", x(5, { rosters: duel(ann, bob) }), x(5, { rosters: duel(bob, ann) })],
    [
      "now the latest",
      x(5, { rosters: duel(renamed, bob) }),
      x(55, { rosters: duel(renamed, bob) }),
    ],
    ["other players", x(50, { rosters: duel(dan, bob) }), x(50, { rosters: duel(cyd, ann) })],
    ["no players", x(50, { rosters: duel(ann, dan) }), x(50, { rosters: nobody })],
    [
      "another tag",
      x(50, { rosters: entering("TEAM") }),
      x(50, { rosters: entering("NEW"), patch: "9.9" }),
    ],
    // They withhold or release a private match.
    [
      "not ranked",
      x(50, { rosters: duel(bob, ann) }),
      x(50, { rosters: duel(bob, ann), ...casual }),
    ],
    [
      "says nothing",
      x(50, { mode: "x", rosters: duel(says, ann) }),
      x(50, { rosters: duel(cyd, ann), mode: "y" }),
    ],
    [
      "withheld",
      x(55, { rosters: duel(renamed, bob) }),
      x(55, { mode: "x", rosters: duel(ann, bob) }),
    ],
    [
      "private",
      x(55, { rosters: duel(cyd, ann) }),
      x(55, { mode: "private", rosters: duel(cyd, ann) }),
    ],
  ])("%s, and back", async (_, old, replacement) => {
    await using one = await startWorld([...others, old]);
    for (const record of [replacement, old]) {
      const { report } = await one.ingest([record], { replace: true });
      expect(report).toMatchObject({ duplicate: 0, conflict: 0, rejected: 0 });
      const state = State.of([...others, record] as Thing[], one.settings["title-id"]);
      for (const question of [
        ...["x", "o1", "o2", "o3", "o4"].map((id) => Questions.single(id, id)),
        ...["ann", "bob", "cyd", "dan"].map((id) => Questions.player(id)),
      ]) {
        const { status, body } = await one.get(question.path);
        const [expected] = expectedOf(question, state, body);
        expect([question.path, difference(expected!, status, body)]).toEqual([
          ...[question.path, undefined],
        ]);
      }
      expect(damageOf(await verified(one.settings, "na"))).toEqual([]);
    }
    expect((await one.ingest([old], { replace: true })).report).toMatchObject({ duplicate: 1 });
  });

  test("include paths are removed with the record that introduced them", async () => {
    const id = anId("match");
    const clip = { type: "clip", id: "c1" };
    const relationships = { clips: { data: [clip] } };
    await world.ingest([aMatch({ id, shard: "words", relationships, included: [clip] })]);
    const ask = () => world.get(`/shards/words/matches/${id}?include=clips`);
    expect((await ask()).status).toBe(200);
    await world.ingest([aMatch({ id, shard: "words" })], { replace: true });
    expect((await ask()).status).toBe(400);
  });

  test("of several in one batch the last valid one is kept", async () => {
    const twice = [1, 2, -1].map((duration) =>
      aMatch({ id: "twice", rosters: duel({ id: "p" }, { id: "q" }), attributes: { duration } }),
    );
    const { report } = await world.ingest(twice, { replace: true });
    expect(report).toMatchObject({ rejected: 1 });
    const { body } = await world.get("/shards/na/matches/twice");
    expect(body.data.attributes.duration).toBe(2);
    expect((await world.get("/shards/na/players/p")).body.data.attributes.stats.played).toBe(1);
  });
});
