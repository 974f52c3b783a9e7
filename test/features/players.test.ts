/** GET /players: at most six, and how many more there are. Which players a filter finds is in requests.test.ts. */

import { afterAll, describe, expect, test } from "bun:test";
import { idsOf } from "../support/compound.ts";
import {
  aMatch,
  anId,
  duel,
  minutesAgo,
  type PlayerIn,
  type RosterIn,
} from "../support/records.ts";
import { startWorld } from "../support/world.ts";

let minutes = 500;
/** A match of this player against an irrelevant opponent. */
const play = (player: PlayerIn) =>
  aMatch({ createdAt: minutesAgo(minutes--), rosters: duel(player, { id: anId("z") }) });

const world = await startWorld([
  play({ id: "ada", name: "Ada" }),
  ...["twin-b", "twin-a", "Twin-c"].map((id) => play({ id, name: "Twin" })),
  ...["9", "8", "7", "6", "5", "4", "3", "2"].map((id) => play({ id: `many-${id}`, name: "Many" })),
  play({ id: "heir", name: "Heir" }),
]);
afterAll(() => world.stop());

const get = async (query: string) => {
  const { body } = await world.get(`/shards/na/players?${query}`);
  return [idsOf(body).join(" "), body.meta];
};

describe("of more than six players the first are returned, and meta has how many more were found:", () => {
  const omitted = (count: number) => ({ omitted: count });
  test.each<[string, string, string, object | undefined]>([
    [
      "by id, of a name",
      "filter[playerNames]=Many",
      "many-2 many-3 many-4 many-5 many-6 many-7",
      omitted(2),
    ],
    [
      "in the order of names",
      "filter[playerNames]=Twin,Many,Ada",
      "Twin-c twin-a twin-b many-2 many-3 many-4",
      omitted(6),
    ],
    [
      "in the order of ids",
      "filter[playerIds]=many-9,nobody,ada,many-8,heir,many-7,twin-a,twin-b",
      "many-9 ada many-8 heir many-7 twin-a",
      omitted(1),
    ],
    [
      "after names and ids have narrowed together",
      "filter[playerIds]=many-2,many-3,many-4,many-5,many-6,many-7,ada&filter[playerNames]=Ada",
      "ada",
      undefined,
    ],
    [
      "of names and ids",
      "filter[playerIds]=ada,twin-a,twin-b&filter[playerNames]=Twin&page[limit]=1",
      "twin-a",
      omitted(1),
    ],
    ["with a smaller limit", "filter[playerNames]=Many&page[limit]=2", "many-2 many-3", omitted(6)],
    ["nothing is said of all", "filter[playerNames]=Twin", "Twin-c twin-a twin-b", undefined],
    ["nor without a filter", "page[limit]=1", "heir", undefined],
  ])("%s", async (_, query, ids, meta) => {
    expect(await get(query)).toEqual([ids, meta]);
  });

  test("of a name at most 50, which means 50 or more", async () => {
    const side = (name: string): RosterIn => ({
      members: Array.from({ length: 29 }, (_, at) => ({ id: `${name}-${at}`, name: "Crowd" })),
    });
    await using crowded = await startWorld([aMatch({ rosters: [side("a"), side("b")] })]);
    const ids = Array.from({ length: 25 }, (_, at) => [`a-${at}`, `b-${at}`]).flat();
    for (const [query, count] of [
      ["filter[playerNames]=Crowd&page[limit]=6", 50],
      ["filter[playerNames]=Crowd&page[limit]=1", 50],
      [`filter[playerIds]=${ids.join(",")}&page[limit]=1`, 49],
    ]) {
      expect((await crowded.get(`/shards/na/players?${query}`)).body.meta).toEqual(
        omitted(count as number),
      );
    }
  });
});

test("page[limit] and page[offset]=0, which some JSON:API libraries always send, are accepted and stay in links", async () => {
  const query = "page[offset]=0&page[limit]=6&filter[playerNames]=Many";
  const { body } = await world.get(`/shards/na/players?${query}`);
  expect([...new URL(body.links.self).searchParams]).toEqual([...new URLSearchParams(query)]);
});
