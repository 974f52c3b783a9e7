/** GET /shards/{shard}/heroes: hero statistics. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { aMatch, type MatchDocument, type MatchIn } from "../support/records.ts";
import { until } from "../support/state.ts";
import { startWorld, type World } from "../support/world.ts";

/** A match in which these heroes won and lost, with the number of kills of each. */
function played(
  won: Record<string, number>,
  lost: Record<string, number>,
  wishes: MatchIn = {},
): MatchDocument {
  const sides = [won, lost].map((side) => ({
    members: Object.keys(side).map(() => ({ bot: true as const })),
  }));
  const document = aMatch({ ...wishes, rosters: sides as MatchIn["rosters"] & object });
  const casts = [won, lost].flatMap((side) => Object.entries(side));
  for (const resource of document.included) {
    if (resource.type !== "participant") continue;
    const [actor, kills] = casts.shift()!;
    const attributes = resource.attributes as { actor: string; stats: object };
    attributes.actor = actor;
    Object.assign(attributes.stats, { kills, gold: 10, farm: 0.5, deaths: 1, assists: 2 });
  }
  return document;
}

const CAST = [
  played({ Ana: 3, Bo: 1 }, { Cy: 4, Dee: 0 }, { mode: "ranked", patch: "2.5" }),
  played({ Ana: 4, Cy: 2 }, { Bo: 2, Eve: 2 }, { mode: "casual", patch: "2.5" }),
  played({ Bo: 2, Cy: 3 }, { Ana: 3, Dee: 1 }, { mode: "ranked", patch: "2.6" }),
];

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape.
const idsOf = (body: any) => body.data.map(({ id }: { id: string }) => id);

describe("hero statistics", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(CAST);
  });
  afterAll(() => world.stop());
  const get = async (query = "") => {
    const reply = await world.get(`/shards/na/heroes${query}`);
    expect(reply.status).toBe(200);
    return reply.body;
  };

  test("every hero has its matches, wins, rates and averages", async () => {
    const { data, meta } = await get();
    expect(meta).toEqual({ matches: 3, heroes: 5, isTruncated: false });
    expect(data[0]).toEqual({
      type: "hero",
      id: "Ana",
      attributes: {
        ...{ matches: 3, wins: 2, winRate: 0.6667, pickRate: 1, kills: 3.33 },
        ...{ deaths: 1, assists: 2, gold: 10, farm: 0.5 },
      },
    });
    expect(idsOf({ data })).toEqual(["Ana", "Bo", "Cy", "Dee", "Eve"]);
  });

  test("filters select modes and patches, with lists of values", async () => {
    const ranked = await get("?filter[gameMode]=ranked");
    expect(ranked.meta).toEqual({ matches: 2, heroes: 4, isTruncated: false });
    expect(ranked.data[0].attributes).toMatchObject({ matches: 2, wins: 1, pickRate: 1, kills: 3 });
    const both = await get("?filter[gameMode]=ranked&filter[patchVersion]=2.6");
    expect([both.meta.matches, idsOf(both)]).toEqual([1, ["Ana", "Bo", "Cy", "Dee"]]);
    expect((await get("?filter[patchVersion]=2.5,2.6,9")).meta.matches).toBe(3);
    for (const nothing of [
      "?filter[patchVersion]=9",
      "?filter[gameMode]=private",
      "?filter[patchVersion]=%00",
    ]) {
      const { data, meta } = await get(nothing);
      expect([data, meta]).toEqual([[], { matches: 0, heroes: 0, isTruncated: false }]);
    }
  });

  test("sort takes every attribute in both directions, and equal ones follow by hero", async () => {
    expect(idsOf(await get("?sort=-winRate"))).toEqual(["Ana", "Bo", "Cy", "Dee", "Eve"]);
    expect(idsOf(await get("?sort=winRate"))).toEqual(["Dee", "Eve", "Ana", "Bo", "Cy"]);
    expect(idsOf(await get("?sort=-kills"))).toEqual(["Ana", "Cy", "Eve", "Bo", "Dee"]);
    expect(idsOf(await get("?sort=-hero"))).toEqual(["Eve", "Dee", "Cy", "Bo", "Ana"]);
    expect(idsOf(await get("?sort=deaths"))).toEqual(["Ana", "Bo", "Cy", "Dee", "Eve"]);
  });

  test("a response is right soon after records are stored, and the tag changes with it", async () => {
    const path = "/shards/na/heroes?filter[patchVersion]=3.0";
    const first = await world.get(path);
    expect(first.body.meta.matches).toBe(0);
    const etag = first.headers.get("etag")!;
    for (let times = 0; times < 3; times++) {
      expect((await world.get(path, { "If-None-Match": etag })).status).toBe(304);
    }
    // Even if no hero has a name that counts.
    await world.ingest([played({ "": 1 }, { ["x".repeat(129)]: 1 }, { patch: "3.0" })]);
    const next = await until("it is counted", async () => {
      const reply = await world.get(path, { "If-None-Match": etag });
      return reply.status === 200 ? reply : undefined;
    });
    expect([next.body.meta, next.body.data]).toEqual([
      { matches: 1, heroes: 0, isTruncated: false },
      [],
    ]);
    expect((await world.get(path, {}, "HEAD")).status).toBe(200);
  });
});

test("at most 500 heroes are listed, and meta says so", async () => {
  const names = Array.from(
    { length: 501 },
    (_, at) => [`actor-${String(at).padStart(3, "0")}`, at] as const,
  );
  await using world = await startWorld([played(Object.fromEntries(names), { Ana: 1 })]);
  const { body } = await world.get("/shards/na/heroes?sort=hero");
  expect([body.data.length, body.meta]).toEqual([
    500,
    { matches: 1, heroes: 502, isTruncated: true },
  ]);
  expect(idsOf(body)[0]).toBe("Ana");
});

test("an unknown order is refused", async () => {
  await using world = await startWorld(CAST);
  const { status, body } = await world.get("/shards/na/heroes?sort=name");
  expect([status, body.errors[0].detail]).toEqual([
    400,
    expect.stringContaining(
      "sort must be one of matches, wins, winRate, pickRate, kills, deaths, assists, gold, farm, hero, with - for descending order",
    ),
  ]);
});

test("it costs nothing of the daily match quota", async () => {
  await using world = await startWorld(CAST);
  expect((await world.get("/shards/na/heroes")).status).toBe(200);
  expect((await world.get("/usage", { Accept: null })).body.today.matches).toBe(0);
});
