/** GET /shards/{shard}/heroes: filters, orders and the limit. The statistics are compared with the model. */

import { afterAll, expect, test } from "bun:test";
import type { Loose } from "../support/drafts.ts";
import { aMatch, type MatchDocument, type MatchIn } from "../support/records.ts";
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

test.each([
  ["filter[gameMode]=ranked&filter[patchVersion]=2.6", 1, "Ana Bo Cy Dee"],
  ["filter[patchVersion]=2.5,2.6,9", 3, "Ana Bo Cy Dee Eve"],
  ["filter[patchVersion]=9", 0, ""],
  ["filter[gameMode]=private", 0, ""],
  ["filter[patchVersion]=%00", 0, ""],
  // Equal ones follow by hero.
  ["sort=winRate", 3, "Dee Eve Ana Bo Cy"],
  ["sort=-kills", 3, "Ana Cy Eve Bo Dee"],
  ["sort=-hero", 3, "Eve Dee Cy Bo Ana"],
])("?%s counts %d matches, and lists %j", async (query, matches, heroes) => {
  const { ids, meta } = await get(`?${query}`);
  expect([ids, meta.matches]).toEqual([heroes, matches]);
});

test("at most 500 heroes are listed, and meta says so", async () => {
  const names = Array.from({ length: 501 }, (_, at) => [`actor-${at + 100}`, at] as const);
  await using many = await startWorld([played(Object.fromEntries(names), { Ana: 1 })]);
  const { data, meta } = (await many.get("/shards/na/heroes?sort=hero")).body;
  expect([data.length, meta]).toEqual([500, { matches: 1, heroes: 502, isTruncated: true }]);
  expect(data[0].id).toBe("Ana");
});
