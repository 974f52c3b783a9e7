/**
 * Tests that nothing is lost: the contents of a record are served as equal JSON values, and another
 * Matchbook can ingest what is served.
 */

import { afterAll, describe, expect, test } from "bun:test";
import type { Json } from "../../src/domain/json.ts";
import type { Loose } from "../support/drafts.ts";
import { aMatch, duel } from "../support/records.ts";
import { richMatch } from "../support/rich-match.ts";
import { startWorld, type World } from "../support/world.ts";

const world = await startWorld();
afterAll(() => world.stop());

const resourcesOf = (document: Loose): Map<string, Loose> =>
  new Map(
    [document.data, ...document.included].flat().map((one) => [`${one.type}/${one.id}`, one]),
  );

/** Expects exactly the resources of a document, each as an equal JSON value. */
function expectEqualResources(fetched: Loose, sent: Loose): void {
  const came = resourcesOf(fetched);
  const went = resourcesOf(sent);
  expect([...came.keys()].sort()).toEqual([...went.keys()].sort());
  for (const [key, resource] of went) expect(exact(came.get(key)), key).toEqual(exact(resource));
}

/**
 * A JSON value with its objects as sorted lists of pairs: equal when the values are equal, including a
 * member called "__proto__".
 */
function exact(value: Json): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(exact);
  return {
    pairs: Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, exact(member)]),
  };
}

describe("a match with everything a record may contain", () => {
  const { document } = richMatch("rich");
  const fetched = world.ingest([document]).then(async ({ report, rejections }) => {
    expect(rejections.map(({ problems }) => problems)).toEqual([]);
    expect(report.stored).toBe(1);
    return world.get("/shards/na/matches/rich");
  });

  test("comes back with every attribute, stat, relationship and related resource", async () => {
    expectEqualResources((await fetched).body, document);
  });

  test("is the same on a page", async () => {
    await fetched;
    const { body } = await world.get("/shards/na/matches?filter[playerIds]=rich-ann");
    expect(body.data).toHaveLength(1);
    expectEqualResources(body, document);
  });

  test("is the same when everything is included by name", async () => {
    await fetched;
    const paths = [
      "rosters.team.coach",
      "rosters.participants.player.badges",
      "rosters.participants.owner",
      "assets",
      "rounds.next",
      "spectators.player",
    ];
    const { body } = await world.get(`/shards/na/matches/rich?include=${paths}`);
    // One step longer than an include path may be.
    const shown = {
      ...document,
      included: document.included.filter((one: Loose) => one.type !== "season"),
    };
    expectEqualResources(body, shown);
  });

  test("its players are the same on their own", async () => {
    await fetched;
    for (const name of ["ann", "bob", "eve"]) {
      const { body } = await world.get(`/shards/na/players/rich-${name}`);
      const sent = resourcesOf(document).get(`player/rich-${name}`);
      expect(exact(body.data)).toEqual(exact(sent));
    }
  });

  test("is a duplicate when the served document is ingested again, alone or as a page", async () => {
    const { body } = await fetched;
    const page = (await world.get("/shards/na/matches?filter[playerIds]=rich-ann")).body;
    expect((await world.ingest([body, page])).report).toMatchObject({
      duplicate: 2,
      stored: 0,
      conflict: 0,
      rejected: 0,
    });
  });

  test("gives an equal document in another instance that ingests what is served", async () => {
    const { body } = await fetched;
    const other = await startWorld([body]);
    const { body: there } = await other.get("/shards/na/matches/rich");
    await other.stop();
    expect(exact(withoutLinks(there))).toEqual(exact(withoutLinks(body)));
  });
});

function withoutLinks({ links: _, meta: __, ...document }: Loose): Loose {
  return document;
}

describe("a whole shard that is fetched page by page", () => {
  /** All matches of the shard as pages, and all players as documents. */
  async function everything(from: World): Promise<{ pages: Loose[]; players: Loose[] }> {
    const pages: Loose[] = [];
    const ids = new Set<string>();
    let next: string | undefined =
      `/shards/eu/matches?filter[createdAt-start]=2020-01-01T00:00:00Z&page[limit]=3`;
    while (next !== undefined) {
      const { body } = await from.get(next);
      pages.push(body);
      for (const one of body.included) if (one.type === "player") ids.add(one.id);
      next = body.links.next;
    }
    const players = [];
    for (const id of [...ids].sort()) {
      players.push((await from.get(`/shards/eu/players/${id}`)).body);
    }
    return { pages, players };
  }

  const at = (minute: number) => new Date(Date.UTC(2023, 0, 5, 10, minute)).toISOString();
  const matches = [
    aMatch({
      shard: "eu",
      id: "w1",
      createdAt: at(1),
      rosters: duel({ id: "x", name: "Old" }, { id: "y", gold: 0.1 }),
    }),
    aMatch({
      shard: "eu",
      id: "w2",
      createdAt: at(2),
      mode: "private",
      rosters: duel({ id: "y", gold: 0.2 }, { id: "z" }),
    }),
    aMatch({
      shard: "eu",
      id: "w3",
      createdAt: at(3),
      mode: "casual",
      winner: 1,
      rosters: [
        { members: [{ id: "x", name: "New" }], team: { id: "t", name: "TT" } },
        { members: [{ bot: true }] },
      ],
    }),
    aMatch({
      shard: "eu",
      id: "w4",
      createdAt: at(3),
      mode: "casual",
      rosters: duel({ id: "z" }, { id: "x", name: "New" }),
      patch: "2.6",
    }),
    aMatch({
      shard: "eu",
      id: "w5",
      createdAt: at(9),
      mode: "blitz_pvp_ranked",
      rosters: [{ members: [{ id: "y" }], team: { id: "t", name: "TT" } }, { members: [] }],
    }),
  ];

  test("gives equal documents in an empty instance, and only duplicates in its own", async () => {
    await world.ingest(matches);
    const here = await everything(world);
    expect(here.pages.flatMap(({ data }) => data)).toHaveLength(matches.length);
    expect((await world.ingest(here.pages)).report).toMatchObject({
      duplicate: matches.length,
      stored: 0,
      conflict: 0,
      rejected: 0,
    });

    const other = await startWorld(here.pages);
    const there = await everything(other);
    await other.stop();
    expect(there.pages.map(withoutLinks)).toEqual(here.pages.map(withoutLinks));
    expect(there.players.map(withoutLinks)).toEqual(here.players.map(withoutLinks));
  });
});
