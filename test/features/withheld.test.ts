/** Tests that a withheld match cannot be told from one that never existed. */

import { afterAll, describe, expect, test } from "bun:test";
import { anonymous } from "../support/problems.ts";
import { aMatch, type MatchDocument, type MatchIn } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

/** A match whose players, team, patch and extra resource occur nowhere else. */
function lone(id: string, wishes: MatchIn): MatchDocument {
  const team = { id: `team-${id}`, name: `T-${id}` };
  return aMatch({
    id,
    patch: `patch-${id}`,
    rosters: [
      { members: [{ id: `one-${id}`, name: `One ${id}` }], team },
      { members: [{ id: `two-${id}`, name: `Two ${id}` }] },
    ],
    relationships: { [`extra-${id}`]: { data: { type: `kind-${id}`, id } } },
    included: [{ type: `kind-${id}`, id, attributes: {} }],
    ...wishes,
  });
}

const WITHHELD: [id: string, rule: string, wishes: MatchIn][] = [
  ["practice", "its mode is not one of the eight", { mode: "practice" }],
  ["too-few", "it ended with notenoughplayers", { mode: "casual", ending: "notenoughplayers" }],
  ["unranked", "it is private without ranked players", { mode: "private" }],
];
const world = await startWorld([
  lone("served", { mode: "ranked" }),
  ...WITHHELD.map(([id, , wishes]) => lone(id, wishes)),
]);
afterAll(() => world.stop());

const get = (path: string) => world.get(`/shards/na/${path}`);

describe.each(WITHHELD)("the match %s is withheld: %s, and", (id) => {
  test("a request for it or its players gets the same response as for what never existed", async () => {
    for (const [path, other] of [
      [`matches/${id}`, "matches/never-was"],
      [`players/one-${id}`, "players/never-was"],
    ]) {
      const response = await get(path!);
      expect(response.status).toBe(404);
      expect(anonymous(response)).toEqual(anonymous(await get(other!)));
    }
  });

  test("include paths and types that only it has are unknown", async () => {
    const query = (of: string) => get(`matches?include=extra-${of}&fields[kind-${of}]=a`);
    const [response, unknown] = [await query(id), await query("never-was")];
    expect(response.status).toBe(400);
    const text = JSON.stringify(anonymous(response)).replaceAll(id, "never-was");
    expect(JSON.parse(text)).toEqual(anonymous(unknown));
  });
});
