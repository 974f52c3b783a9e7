/** Tests a match that is ingested a second time: unchanged, changed, or as a replacement. */

import { afterAll, describe, expect, test } from "bun:test";
import type { Json } from "../../src/domain/json.ts";
import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import { draftOf, type Loose, minute } from "../support/drafts.ts";
import { aMatch, anId, duel, type MatchDocument, type MatchIn } from "../support/records.ts";
import { included, startWorld, type World } from "../support/world.ts";

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

describe("the same match again", () => {
  test("is a duplicate, and nothing changes", async () => {
    const match = aMatch({ shard: "dup", rosters: duel({ id: "a", gold: 10 }, { id: "b" }) });
    expect((await world.ingest([match])).report).toMatchObject({ stored: 1 });
    const before = await viewOf(world, "dup");
    expect((await world.ingest([match])).report).toMatchObject({ stored: 0, duplicate: 1 });
    expect(await viewOf(world, "dup")).toEqual(before);
  });

  test("counts once within a batch", async () => {
    const match = aMatch({ shard: "dup-batch", rosters: duel({ id: "a", gold: 10 }, { id: "b" }) });
    expect((await world.ingest([match, match, match])).report).toMatchObject({
      stored: 1,
      duplicate: 2,
    });
    const { body } = await world.get("/shards/dup-batch/players/a");
    expect(body.data.attributes.stats).toMatchObject({ played: 1, winStreak: 1, lifetimeGold: 10 });
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

  test("is a duplicate in another order of members and of included resources", async () => {
    const match = aMatch({ stats: { list: [1, 2], nested: { a: 1, b: [{ c: 1, d: 2 }] } } });
    const again = shuffled(match);
    again.included.reverse();
    expect((await world.ingest([match, again])).report).toMatchObject({ stored: 1, duplicate: 1 });
  });

  test("is a duplicate with its time in another zone, and won as a boolean", async () => {
    const match = aMatch({ createdAt: "2023-03-01T18:30:00Z" });
    const draft = draftOf(match);
    draft.match.attributes.createdAt = "2023-03-01T20:30:00.0001+02:00";
    draft.at(`roster/${draft.match.id}-r0`).attributes.won = true;
    draft.at(`roster/${draft.match.id}-r1`).relationships.team = { data: null };
    const { report } = await world.ingest([match, draft.document]);
    expect(report).toMatchObject({ stored: 1, duplicate: 1 });
  });

  test("is a duplicate even if its players differ, and the first version is kept", async () => {
    const match = aMatch({
      shard: "dup-players",
      rosters: duel({ id: "a", name: "Then" }, { id: "b" }),
    });
    const draft = draftOf(match);
    draft.at("player/a").attributes = {
      name: "Now",
      titleID: "other",
      stats: { level: 99, winStreak: 5, more: true },
      extra: 1,
    };
    const { report } = await world.ingest([match, draft.document]);
    expect(report).toMatchObject({ stored: 1, duplicate: 1, conflict: 0 });
    const { body } = await world.get("/shards/dup-players/players/a");
    expect(body.data.attributes).toMatchObject({ name: "Then", stats: { level: 12 } });
  });

  test("is a duplicate even if its teams differ, and the first tag is kept", async () => {
    const [match, renamed] = ["THEN", "NOW"].map((name) =>
      aMatch({
        id: "m",
        shard: "dup-teams",
        createdAt: "2023-03-01T18:30:00Z",
        rosters: [{ members: [{ id: "a" }], team: { id: "t", name } }, { members: [] }],
      }),
    );
    const { report } = await world.ingest([match!, renamed!]);
    expect(report).toMatchObject({ stored: 1, duplicate: 1, conflict: 0 });
    const later = await world.ingest([renamed!]);
    expect(later.report).toMatchObject({ duplicate: 1, conflict: 0 });
    const { body } = await world.get("/shards/dup-teams/matches/m");
    expect(included(body, "team")!.attributes).toMatchObject({ name: "THEN" });
  });

  test("is a duplicate while it is withheld", async () => {
    const match = aMatch({ mode: "practice" });
    await world.ingest([match]);
    const { report } = await world.ingest([match]);
    expect(report).toMatchObject({ duplicate: 1, withheld: { "game-mode": 0 } });
  });
});

describe("a different match with a known id", () => {
  test.each<[what: string, whose: string, path: string, value: Json]>([
    ["an attribute", "match/m", "attributes.duration", 1201],
    ["an extra attribute", "match/m", "attributes.extra", null],
    ["a stat", "match/m", "attributes.stats.queue", "other"],
    ["the order of a list", "match/m", "attributes.stats.list", [2, 1]],
    ["the type of a value", "match/m", "attributes.stats.number", "1"],
    ["its time, by a millisecond", "match/m", "attributes.createdAt", "2023-03-01T18:30:00.001Z"],
    ["a relationship", "match/m", "relationships.rounds", { data: [] }],
    ["a member beside the attributes", "match/m", "meta", {}],
    ["a roster", "roster/m-r0", "attributes.won", "false"],
    ["a participant", "participant/m-r0p0", "attributes.stats.deaths", 9],
    ["a participant's player", "participant/m-r0p0", "relationships.player", { data: null }],
    ["a player's relationships", "player/b", "relationships", { assets: { data: [] } }],
    ["a team's relationships", "team/t", "relationships", { assets: { data: [] } }],
    ["a further resource", "asset/x", "attributes.URL", "https://other.test"],
  ])(
    "is a conflict when it differs in %s, and the first is kept",
    async (what, whose, path, value) => {
      const shard = `conflict-${what.replace(/[^a-z]+/g, "-")}`.slice(0, 32);
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
      const before = await viewOf(world, shard);
      const draft = draftOf(match);
      const steps = path.split(".");
      const last = steps.pop()!;
      const start = whose === "match/m" ? draft.match : draft.at(whose);
      steps.reduce((at, step) => at[step], start)[last] = value;

      const { report, conflicts, rejections } = await world.ingest([
        aMatch(),
        draft.document,
        aMatch(),
      ]);
      expect(rejections.map(({ problems }) => problems)).toEqual([]);
      expect(report).toMatchObject({ stored: 2, conflict: 1, duplicate: 0 });
      expect(conflicts).toEqual(["m"]);
      expect(await viewOf(world, shard)).toEqual(before);
    },
  );

  test("is a conflict within a batch: the first is kept", async () => {
    const match = aMatch({ shard: "na", patch: "1.0" });
    const other = draftOf(match);
    other.match.attributes.duration = 5;
    const { report } = await world.ingest([match, other.document, match]);
    expect(report).toMatchObject({ stored: 1, conflict: 1, duplicate: 1 });
    const { body } = await world.get(`/shards/na/matches/${match.data.id}`);
    expect(body.data.attributes.duration).toBe(1200);
  });

  test("is a conflict while the first one is withheld", async () => {
    const match = aMatch({ mode: "practice" });
    await world.ingest([match]);
    const { report } = await world.ingest([aMatch({ id: match.data.id as string })]);
    expect(report).toMatchObject({ conflict: 1, stored: 0 });
    expect((await world.get(`/shards/na/matches/${match.data.id}`)).status).toBe(404);
  });
});

describe("a replacement leaves the same state as if only the new record had been ingested:", () => {
  const ann = { id: "ann", name: "Ann", gold: 100.1 };
  const bob = { id: "bob", name: "Bob", gold: 200.2 };
  const cyd = { id: "cyd", name: "Cyd", gold: 0.7 };
  const team = { id: "t", name: "TEAM" };
  const x = (wishes: MatchIn): MatchDocument => aMatch({ id: "x", ...wishes });
  /** Other matches before and after the one in question. */
  const others = [
    aMatch(minute(10, { id: "o1", mode: "casual", rosters: duel(ann, bob), patch: "2.4" })),
    aMatch(
      minute(20, { id: "o2", mode: "casual", rosters: duel(bob, { ...ann, name: "Ann II" }) }),
    ),
    aMatch(
      minute(40, {
        id: "o3",
        mode: "casual",
        rosters: [{ members: [ann], team }, { members: [bob] }],
      }),
    ),
    aMatch(minute(45, { id: "o4", mode: "private", rosters: duel(bob, cyd) })),
  ];

  test.each<[string, MatchDocument, MatchDocument]>([
    [
      "another winner long ago",
      x(minute(5, { rosters: duel(ann, bob) })),
      x(minute(5, { rosters: duel(ann, bob), winner: 1 })),
    ],
    [
      "another time, now the latest",
      x(minute(5, { rosters: duel({ ...ann, name: "New" }, bob) })),
      x(minute(55, { rosters: duel({ ...ann, name: "New" }, bob) })),
    ],
    [
      "other players",
      x(minute(50, { rosters: duel({ id: "dan", name: "Dan" }, bob) })),
      x(minute(50, { rosters: duel({ id: "eve", name: "Eve" }, ann) })),
    ],
    [
      "no players any more",
      x(minute(50, { rosters: duel(ann, { id: "dan", name: "Dan" }) })),
      x(minute(50, { rosters: [{ members: [{ bot: true }] }, { members: [] }] })),
    ],
    [
      "another tag of its team, and another patch",
      x(minute(50, { rosters: [{ members: [ann], team }, { members: [] }] })),
      x(
        minute(50, {
          patch: "9.9",
          rosters: [{ members: [ann], team: { ...team, name: "RENAMED" } }, { members: [] }],
        }),
      ),
    ],
    [
      "no longer ranked, which withholds a private match",
      x(minute(50, { mode: "ranked", rosters: duel(bob, ann) })),
      x(minute(50, { mode: "casual", rosters: duel(bob, ann) })),
    ],
    [
      "ranked now, which releases a private match",
      x(minute(50, { mode: "casual", rosters: duel(bob, ann) })),
      x(minute(50, { mode: "ranked", rosters: duel(bob, ann) })),
    ],
    [
      "no played_ranked any more",
      x(
        minute(50, {
          mode: "practice",
          rosters: duel({ ...cyd, stats: { played_ranked: 3 } }, ann),
        }),
      ),
      x(minute(50, { mode: "practice", patch: "2", rosters: duel(cyd, ann) })),
    ],
    [
      "withheld now, by its mode",
      x(minute(55, { rosters: duel({ ...ann, name: "New" }, bob) })),
      x(minute(55, { mode: "practice", rosters: duel(ann, bob) })),
    ],
    [
      "private now, and therefore withheld",
      x(minute(55, { mode: "ranked", rosters: duel(cyd, ann) })),
      x(minute(55, { mode: "private", rosters: duel(cyd, ann) })),
    ],
  ])("%s", async (_, old, replacement) => {
    const [replaced, fresh, before] = [aShard(), aShard(), aShard()];
    await world.ingest(inShard(replaced, [...others, old]));
    await world.ingest(inShard(fresh, [...others, replacement]));
    const replace = (document: MatchDocument) =>
      world.ingest(inShard(replaced, [document]), { replace: true });
    expect((await replace(replacement)).report).toMatchObject({
      duplicate: 0,
      conflict: 0,
      rejected: 0,
    });
    expect(await stateOf(replaced)).toEqual(await stateOf(fresh));
    expect((await replace(replacement)).report).toMatchObject({ stored: 0, duplicate: 1 });

    // And back to the first version.
    await replace(old);
    await world.ingest(inShard(before, [...others, old]));
    expect(await stateOf(replaced)).toEqual(await stateOf(before));
  });

  let made = 0;
  const aShard = () => `replaced-${made++}`;
  const inShard = (shard: string, documents: MatchDocument[]): Json[] =>
    documents.map((document) =>
      JSON.parse(JSON.stringify(document).replaceAll('"shardId":"na"', `"shardId":"${shard}"`)),
    );

  /** What callers can fetch and what is counted, without the name of the shard. */
  async function stateOf(shard: string): Promise<unknown> {
    const players: unknown[] = [];
    for (const id of ["ann", "bob", "cyd", "dan", "eve"]) {
      const { status, body } = await world.get(`/shards/${shard}/players/${id}`);
      players.push([status, body.data]);
    }
    const view = await viewOf(world, shard);
    const shards = openShards(world.settings, unobserved);
    const { bytes: _, ...counts } = await shards.writer(shard).counts();
    const summary = await (await shards.reader(shard))!.summary();
    await shards.close();
    const state = JSON.stringify({ view, players, counts, summary });
    return JSON.parse(state.replaceAll(`"${shard}"`, '"na"'));
  }

  test("include paths are removed with the record that introduced them", async () => {
    const id = anId("match");
    const asset = { type: "clip", id: "c1" };
    const old = aMatch({
      id,
      shard: "vocabulary",
      relationships: { clips: { data: [asset] } },
      included: [asset],
    });
    await world.ingest([old]);
    const ask = () => world.get(`/shards/vocabulary/matches/${id}?include=clips`);
    expect((await ask()).status).toBe(200);
    await world.ingest([aMatch({ id, shard: "vocabulary" })], { replace: true });
    expect((await ask()).status).toBe(400);
  });

  test("of two different records in one batch the last one is kept", async () => {
    const [first, second] = [1, 2].map((duration) =>
      aMatch({
        id: "twice",
        shard: "last",
        attributes: { duration },
        rosters: duel({ id: "p" }, { id: "q" }),
      }),
    );
    await world.ingest([first!, second!], { replace: true });
    const { body } = await world.get("/shards/last/matches/twice");
    expect(body.data.attributes.duration).toBe(2);
    expect((await world.get("/shards/last/players/p")).body.data.attributes.stats.played).toBe(1);
  });

  test("an invalid replacement is rejected, and the old record is kept", async () => {
    const id = anId("match");
    await world.ingest([aMatch({ id })]);
    const { report } = await world.ingest([aMatch({ id, attributes: { duration: -1 } })], {
      replace: true,
    });
    expect(report).toMatchObject({ rejected: 1 });
    expect((await world.get(`/shards/na/matches/${id}`)).body.data.attributes.duration).toBe(1200);
  });
});

/** All that callers can fetch without knowing names: matches, each alone too, and players. */
async function viewOf(world: World, shard: string): Promise<Record<string, unknown>> {
  const view: Record<string, unknown> = {};
  const see = async (path: string) => {
    const { status, body } = await world.get(`/shards/${shard}${path}`);
    const { links, meta: _, ...content } = body;
    view[path] = { status, ...content };
    return { status, body, links };
  };
  const matches: string[] = [];
  const players = new Set<string>();
  const teams = new Set<string>();
  let next: string | undefined =
    "/matches?filter[createdAt-start]=1900-01-01T00:00:00Z&page[limit]=5";
  for (let page = 0; next !== undefined; page++) {
    const { body } = await world.get(next.startsWith("http") ? next : `/shards/${shard}${next}`);
    view[`page ${page}`] = { data: body.data, included: body.included };
    matches.push(...body.data.map(({ id }: { id: string }) => id));
    for (const { type, id, attributes } of body.included) {
      if (type === "player") players.add(id).add(`name:${attributes.name}`);
      if (type === "team") teams.add(attributes.name);
    }
    next = body.links.next;
  }
  for (const id of matches) await see(`/matches/${id}`);
  for (const player of [...players].sort()) {
    if (!player.startsWith("name:")) await see(`/players/${player}`);
    else await see(`/players?${query("playerNames", player.slice("name:".length))}`);
  }
  for (const team of [...teams].sort()) await see(`/matches?${query("teamNames", team)}`);
  await see("/players");
  return view;
}

function query(filter: string, value: string): string {
  return new URLSearchParams({ [`filter[${filter}]`]: value.replace(/[\\,]/g, "\\$&") }).toString();
}
