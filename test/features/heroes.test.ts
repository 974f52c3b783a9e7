/** GET /shards/{shard}/heroes: hero statistics. */

import { afterAll, expect, test } from "bun:test";
import type { Loose } from "../support/drafts.ts";
import { aMatch, type MatchDocument, type MatchIn } from "../support/records.ts";
import { until } from "../support/state.ts";
import { startWorld } from "../support/world.ts";

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
  for (const { type, attributes } of document.included as Loose[]) {
    if (type !== "participant") continue;
    const [actor, kills] = casts.shift()!;
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
const world = await startWorld(CAST);
afterAll(() => world.stop());

const get = async (query = "") => {
  const { status, body } = await world.get(`/shards/na/heroes${query}`);
  expect(status).toBe(200);
  const ids: string[] = body.data.map(({ id }: { id: string }) => id);
  return { ids: ids.join(" "), ...body };
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
});

test.each([
  ["filter[gameMode]=ranked", 2, "Ana Bo Cy Dee"],
  ["filter[gameMode]=ranked&filter[patchVersion]=2.6", 1, "Ana Bo Cy Dee"],
  ["filter[patchVersion]=2.5,2.6,9", 3, "Ana Bo Cy Dee Eve"],
  ["filter[patchVersion]=9", 0, ""],
  ["filter[gameMode]=private", 0, ""],
  ["filter[patchVersion]=%00", 0, ""],
  // Equal ones follow by hero.
  ["sort=-winRate", 3, "Ana Bo Cy Dee Eve"],
  ["sort=winRate", 3, "Dee Eve Ana Bo Cy"],
  ["sort=-kills", 3, "Ana Cy Eve Bo Dee"],
  ["sort=-hero", 3, "Eve Dee Cy Bo Ana"],
  ["sort=deaths", 3, "Ana Bo Cy Dee Eve"],
])("?%s counts %d matches, and lists %j", async (query, matches, heroes) => {
  const { ids, meta } = await get(`?${query}`);
  expect([ids, meta.matches]).toEqual([heroes, matches]);
});

test("a response is right soon after records are stored, and the tag changes with it", async () => {
  const path = "/shards/na/heroes?filter[patchVersion]=3.0";
  const first = await world.get(path);
  const etag = first.headers.get("etag")!;
  for (let times = 0; times < 3; times++) {
    expect((await world.get(path, { "If-None-Match": etag })).status).toBe(304);
  }
  // Even if no hero has a name that counts.
  await world.ingest([played({ "": 1 }, { ["x".repeat(129)]: 1 }, { patch: "3.0" })]);
  const { body } = await until("it is counted", async () => {
    const reply = await world.get(path, { "If-None-Match": etag });
    return reply.status === 200 ? reply : undefined;
  });
  expect([body.meta.matches, body.data]).toEqual([1, []]);
});

test("at most 500 heroes are listed, and meta says so", async () => {
  const names = Array.from({ length: 501 }, (_, at) => [`actor-${at + 100}`, at] as const);
  await using many = await startWorld([played(Object.fromEntries(names), { Ana: 1 })]);
  const { data, meta } = (await many.get("/shards/na/heroes?sort=hero")).body;
  expect([data.length, meta]).toEqual([500, { matches: 1, heroes: 502, isTruncated: true }]);
  expect(data[0].id).toBe("Ana");
});
