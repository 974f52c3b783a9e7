/** GET /players: at most six, and how many more there are. Which players a filter finds is in requests.test.ts. */

import { afterAll, expect, test } from "bun:test";
import { idsOf } from "../support/compound.ts";
import { aMatch, type RosterIn } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const side = (name: string): RosterIn => ({
  members: Array.from({ length: 29 }, (_, at) => ({ id: `${name}-${at}`, name: "Crowd" })),
});
const world = await startWorld([aMatch({ rosters: [side("a"), side("b")] })]);
afterAll(() => world.stop());

const FIFTY = Array.from({ length: 25 }, (_, at) => [`a-${at}`, `b-${at}`]).flat();

test.each<[query: string, ids: string[], omitted: number]>([
  ["filter[playerNames]=Crowd", ["a-0", "a-1", "a-10", "a-11", "a-12", "a-13"], 50],
  ["filter[playerNames]=Crowd&page[limit]=1", ["a-0"], 50],
  [`filter[playerIds]=${FIFTY}`, FIFTY.slice(0, 6), 44],
  [`filter[playerIds]=${FIFTY}&page[limit]=1`, ["a-0"], 49],
])(
  "the first six are returned, and meta has how many more were found, where 50 means 50 or more: %s",
  async (query, ids, omitted) => {
    const { body } = await world.get(`/shards/na/players?${query}`);
    expect([idsOf(body), body.meta]).toEqual([ids, { omitted }]);
  },
);

test("page[limit] and page[offset]=0, which some JSON:API libraries always send, are accepted and stay in links", async () => {
  const query = "page[offset]=0&page[limit]=6&filter[playerNames]=Crowd";
  const { body } = await world.get(`/shards/na/players?${query}`);
  expect([...new URL(body.links.self).searchParams]).toEqual([...new URLSearchParams(query)]);
});
