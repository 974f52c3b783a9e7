/** Tests GET /players. */

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
const play = (player: PlayerIn, more: { mode?: string; shard?: string } = {}) =>
  aMatch({
    ...more,
    createdAt: minutesAgo(minutes--),
    rosters: duel(player, { id: anId("extra") }),
  });

const world = await startWorld([
  play({ id: "ada", name: "Ada" }),
  play({ id: "grace", name: "Grace Hopper" }),
  play({ id: "twin-b", name: "Twin" }),
  play({ id: "twin-a", name: "Twin" }),
  play({ id: "Twin-c", name: "Twin" }),
  ...["9", "8", "7", "6", "5", "4", "3", "2"].map((id) => play({ id: `many-${id}`, name: "Many" })),
  play({ id: "renamed", name: "Oldname" }),
  play({ id: "renamed", name: "Newname" }),
  play({ id: "heir", name: "Oldname" }),
  play({ id: "mover", name: "Mover" }),
  play({ id: "mover", name: "Ada Moved" }),
  play({ id: "comma", name: "Love, lace" }),
  play({ id: "spaced", name: " Ada " }),
  play({ id: "unseen", name: "Unseen" }, { mode: "practice" }),
  play({ id: "abroad", name: "Ada" }, { shard: "eu" }),
]);
afterAll(() => world.stop());

async function ids(query: string): Promise<string[]> {
  const response = await world.get(`/shards/na/players?${query}`);
  expect(response.status).toBe(200);
  return idsOf(response.body);
}

describe("filter[playerNames]", () => {
  test("finds the player who has the name in this shard", async () => {
    expect(await ids("filter[playerNames]=Ada")).toEqual(["ada"]);
  });

  test("finds every player who has the name now, in bytewise order of their ids", async () => {
    expect(await ids("filter[playerNames]=Twin")).toEqual(["Twin-c", "twin-a", "twin-b"]);
  });

  test("uses current names: an old name finds who has it now, not who once had it", async () => {
    expect(await ids("filter[playerNames]=Oldname")).toEqual(["heir"]);
    expect(await ids("filter[playerNames]=Newname")).toEqual(["renamed"]);
  });

  test("returns players in the order of the names", async () => {
    expect(await ids("filter[playerNames]=Twin,Grace+Hopper,Nobody,Ada")).toEqual([
      "Twin-c",
      "twin-a",
      "twin-b",
      "grace",
      "ada",
    ]);
    expect(await ids("filter[playerNames]=Ada,Grace+Hopper")).toEqual(["ada", "grace"]);
    expect(await ids("filter[playerNames]=Grace+Hopper,Ada")).toEqual(["grace", "ada"]);
  });

  test("is exact: case, spaces inside and at the ends", async () => {
    expect(await ids("filter[playerNames]=ada,Ada%20,%20Ada,grace+hopper")).toEqual([]);
    expect(await ids("filter[playerNames]=%20Ada%20")).toEqual(["spaced"]);
  });
});

describe("filter[playerIds]", () => {
  test("finds players in the given order, without unknown ones", async () => {
    expect(await ids("filter[playerIds]=twin-b,ada,nobody,grace")).toEqual([
      "twin-b",
      "ada",
      "grace",
    ]);
  });

  test("finds a player once, however often the id is given", async () => {
    expect(await ids("filter[playerIds]=ada,grace,ada")).toEqual(["ada", "grace"]);
  });

  test("is case-sensitive, and limited to this shard", async () => {
    expect(await ids("filter[playerIds]=ADA,abroad")).toEqual([]);
  });
});

describe("at most six players", () => {
  const six = ["many-2", "many-3", "many-4", "many-5", "many-6", "many-7"];

  test("are returned for a name: the first by id", async () => {
    expect(await ids("filter[playerNames]=Many")).toEqual(six);
  });

  test("are returned for several names: the first in their order", async () => {
    expect(await ids("filter[playerNames]=Twin,Many,Ada")).toEqual([
      "Twin-c",
      "twin-a",
      "twin-b",
      "many-2",
      "many-3",
      "many-4",
    ]);
  });

  test("are returned for ids: the first in their order", async () => {
    const asked = ["many-9", "nobody", "ada", "many-8", "grace", "many-7", "twin-a", "heir"];
    expect(await ids(`filter[playerIds]=${asked.join(",")}`)).toEqual([
      "many-9",
      "ada",
      "many-8",
      "grace",
      "many-7",
      "twin-a",
    ]);
  });
});

describe("meta.omitted", () => {
  const metaOf = async (query: string, on = world) =>
    (await on.get(`/shards/na/players?${query}`)).body.meta;

  test.each([
    ["a name", "filter[playerNames]=Many", 2],
    ["several names", "filter[playerNames]=Twin,Many,Ada", 6],
    ["ids", "filter[playerIds]=many-9,nobody,ada,many-8,grace,many-7,twin-a,heir", 1],
    [
      "names and ids",
      "filter[playerIds]=ada,twin-a,twin-b&filter[playerNames]=Twin&page[limit]=1",
      1,
    ],
    ["a smaller page[limit]", "filter[playerNames]=Many&page[limit]=2", 6],
  ])("is how many more players the filter found: %s", async (_, query, omitted) => {
    expect(await metaOf(query)).toEqual({ omitted });
  });

  test.each([
    ["all are returned", "filter[playerNames]=Twin"],
    ["nothing is found", "filter[playerNames]=Nobody"],
    ["there is no filter", "page[limit]=2"],
  ])("is absent if %s", async (_, query) => {
    expect(await metaOf(query)).toBeUndefined();
  });

  test("changes the entity tag, even if the players returned stay the same", async () => {
    await using lively = await startWorld(
      ["1", "2", "3", "4", "5", "6"].map((id) => play({ id: `same-${id}`, name: "Same" })),
    );
    const path = "/shards/na/players?filter[playerNames]=Same";
    const { headers, body } = await lively.get(path);
    await lively.ingest([play({ id: "same-7", name: "Same" })]);
    const changed = await lively.get(path, { "If-None-Match": headers.get("etag")! });
    expect(changed.status).toBe(200);
    expect(changed.body.data).toEqual(body.data);
    expect(changed.body.meta).toEqual({ omitted: 1 });
  });

  test("is at most 50, which means 50 or more", async () => {
    await using crowded = await startWorld([
      aMatch({
        rosters: ["a", "b"].map((side) => ({
          members: Array.from({ length: 29 }, (_, at) => ({ id: `${side}-${at}`, name: "Crowd" })),
        })) as [RosterIn, RosterIn],
      }),
    ]);
    const meta = (query: string) => metaOf(`filter[playerNames]=Crowd&${query}`, crowded);
    expect(await meta("page[limit]=6")).toEqual({ omitted: 50 });
    expect(await meta("page[limit]=1")).toEqual({ omitted: 50 });
    const ids = Array.from({ length: 25 }, (_, at) => [`a-${at}`, `b-${at}`]).flat();
    const byId = `filter[playerIds]=${ids.join(",")}&page[limit]=1`;
    expect(await metaOf(byId, crowded)).toEqual({ omitted: 49 });
  });
});

describe("the paging parameters that some JSON:API libraries always send:", () => {
  test.each([
    "filter[playerNames]=Many,Ada",
    "filter[playerIds]=nobody,ada,grace,twin-a",
    "fields[player]=name",
  ])("page[limit]=2 gives the first two players: %s", async (query) => {
    const all = await ids(query);
    const paged = `page[offset]=0&page[limit]=2&${query}`;
    const { body } = await world.get(`/shards/na/players?${paged}`);
    expect(idsOf(body)).toEqual(all.slice(0, 2));
    expect(all.length).toBeGreaterThan(2);
    const { searchParams } = new URL(body.links.self);
    expect([...searchParams]).toEqual([...new URLSearchParams(paged)]);
  });

  test("page[limit]=6 and page[offset]=0 change nothing", async () => {
    const query = "filter[playerNames]=Many";
    expect(await ids(`${query}&page[limit]=6&page[offset]=0`)).toEqual(await ids(query));
  });
});

describe("names and ids together", () => {
  test("find the players that satisfy both, in the order of the ids", async () => {
    expect(await ids("filter[playerNames]=Twin&filter[playerIds]=twin-b,ada,Twin-c")).toEqual([
      "twin-b",
      "Twin-c",
    ]);
    expect(await ids("filter[playerIds]=twin-b,ada,Twin-c&filter[playerNames]=Ada,Twin")).toEqual([
      "twin-b",
      "ada",
      "Twin-c",
    ]);
  });

  test("find nothing when nobody satisfies both", async () => {
    expect(await ids("filter[playerNames]=Ada&filter[playerIds]=grace")).toEqual([]);
  });

  test("are narrowed before they are cut to six", async () => {
    const asked = ["many-2", "many-3", "many-4", "many-5", "many-6", "many-7", "ada"];
    expect(await ids(`filter[playerIds]=${asked.join(",")}&filter[playerNames]=Ada`)).toEqual([
      "ada",
    ]);
  });
});

test("a player seen only in withheld matches is not found", async () => {
  expect(await ids("filter[playerIds]=unseen")).toEqual([]);
  expect(await ids("filter[playerNames]=Unseen")).toEqual([]);
});

test("a filter that matches nothing is 200 with an empty array", async () => {
  const response = await world.get("/shards/na/players?filter[playerNames]=Nobody");
  expect(response.status).toBe(200);
  expect(response.body.data).toEqual([]);
});
