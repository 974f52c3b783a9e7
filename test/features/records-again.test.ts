/**
 * Tests a match that is ingested a second time. That the order of members and resources does not count, records-roundtrip
 * says; that a replacement leaves nothing of the old record, test/properties/verify.
 */

import { afterAll, describe, expect, test } from "bun:test";
import type { Json } from "../../src/domain/json.ts";
import { draftOf } from "../support/drafts.ts";
import { aMatch, anId, duel } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const world = await startWorld();
afterAll(() => world.stop());

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

describe("a replacement", () => {
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
