/** Tests that nothing of a withheld match is served. */

import { afterAll, describe, expect, test } from "bun:test";
import { idsOf } from "../support/compound.ts";
import { anonymous } from "../support/problems.ts";
import { aMatch, type MatchDocument, type MatchIn, minutesAgo } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

/** A match whose players, team, patch and extra resource occur nowhere else. */
function lone(id: string, wishes: MatchIn): MatchDocument {
  return aMatch({
    id,
    createdAt: minutesAgo(10),
    patch: `patch-${id}`,
    rosters: [
      {
        members: [{ id: `one-${id}`, name: `One ${id}` }],
        team: { id: `team-${id}`, name: `T-${id}` },
      },
      { members: [{ id: `two-${id}`, name: `Two ${id}` }] },
    ],
    relationships: { [`extra-${id}`]: { data: { type: `kind-${id}`, id } } },
    included: [{ type: `kind-${id}`, id, attributes: {} }],
    ...wishes,
  });
}

const WITHHELD: [id: string, rule: string, wishes: MatchIn][] = [
  ["odd-mode", "its mode is not one of the eight", { mode: "practice" }],
  ["no-mode", "its mode is empty", { mode: "" }],
  ["case-mode", "its mode is in another case", { mode: "Ranked" }],
  ["practice", "it ended with exitpractice", { ending: "exitpractice" }],
  ["too-few", "it ended with notenoughplayers", { mode: "casual", ending: "notenoughplayers" }],
  ["unranked", "it is private without ranked players", { mode: "private" }],
];

const world = await startWorld([
  ...WITHHELD.map(([id, , wishes]) => lone(id, wishes)),
  // A private match is served once one of its players is known to be ranked.
  lone("ranked-once", { mode: "ranked" }),
  aMatch({
    id: "private-served",
    mode: "private",
    rosters: [
      { members: [{ id: "one-ranked-once", name: "One ranked-once" }] },
      { members: [{ bot: true }] },
    ],
  }),
  aMatch({
    id: "private-carried",
    mode: "private",
    rosters: [
      { members: [{ id: "says-so", stats: { played_ranked: 1 } }] },
      { members: [{ bot: true }] },
    ],
  }),
]);
afterAll(() => world.stop());

const get = (path: string) => world.get(`/shards/na/${path}`);

describe.each(WITHHELD)("the match %s is withheld: %s, and", (id) => {
  test("a request for it gets the same response as for one that never existed", async () => {
    const response = await get(`matches/${id}`);
    expect(response.status).toBe(404);
    expect(anonymous(response)).toEqual(anonymous(await get("matches/never-was")));
  });

  test("a request for its players gets the same response as for some that never existed", async () => {
    const response = await get(`players/one-${id}`);
    expect(response.status).toBe(404);
    expect(anonymous(response)).toEqual(anonymous(await get("players/never-was")));
    for (const filter of [`filter[playerIds]=one-${id}`, `filter[playerNames]=One+${id}`]) {
      expect((await get(`players?${filter}`)).body.data).toEqual([]);
    }
  });

  test("no filter finds it", async () => {
    for (const filter of [
      `filter[playerIds]=one-${id}`,
      `filter[playerNames]=Two+${id}`,
      `filter[teamNames]=T-${id}`,
      `filter[patchVersion]=patch-${id}`,
    ]) {
      const response = await get(`matches?${filter}`);
      expect(response.status).toBe(200);
      expect(response.body.data).toEqual([]);
      expect(response.body.included).toEqual([]);
    }
  });

  test("include paths and types that only it has are unknown", async () => {
    const unknown = anonymous(
      await get("matches?include=extra-never-was&fields[kind-never-was]=a"),
    );
    const response = await get(`matches?include=extra-${id}&fields[kind-${id}]=a`);
    expect(response.status).toBe(400);
    expect(JSON.parse(JSON.stringify(anonymous(response)).replaceAll(id, "never-was"))).toEqual(
      unknown,
    );
  });
});

test("paging through the whole collection returns no withheld match", async () => {
  const seen: string[] = [];
  for (let address = "/shards/na/matches"; address; ) {
    const { body } = await world.get(address);
    seen.push(...idsOf(body));
    address = body.links.next;
  }
  expect(seen).toContain("ranked-once");
  for (const [id] of WITHHELD) expect(seen).not.toContain(id);
});
