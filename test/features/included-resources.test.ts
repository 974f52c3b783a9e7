/** Tests which of two resources with one id a document includes, and how `include` names relationships. All else is compared with the model. */

import { afterAll, expect, test } from "bun:test";
import { aMatch, type MatchDocument, minutesAgo } from "../support/records.ts";
import { getAs, included, startWorld } from "../support/world.ts";

/** Two matches whose records, by mistake or habit, use the same roster id. */
const sameRoster = [1, 2].map((number): MatchDocument => {
  const document = aMatch({
    id: `same-roster-${number}`,
    patch: "same-roster",
    createdAt: minutesAgo(40 - number),
    rosters: [
      { members: [{ id: `sr-${number}` }], team: { id: `sr-team-${number}`, name: "SR" } },
      { members: [{ id: "sr-both" }] },
    ],
  });
  return JSON.parse(
    JSON.stringify(document).replaceAll(`same-roster-${number}-r0"`, 'the-roster"'),
  );
});

const asset = (id: string, relationships = {}) => ({ type: "asset", id, relationships });
const to = (id: string) => ({ data: { type: "asset", id } });

/** Relationships whose names a list of paths cannot have. */
const oddlyNamed = aMatch({
  id: "oddly-named",
  relationships: { "a.b": to("x"), "c,d": to("x"), "": to("y"), assets: to("y") },
  included: [asset("x"), asset("y", { "": to("x"), next: to("x") })],
});

const world = await startWorld([...sameRoster, oddlyNamed]);
afterAll(() => world.stop());

const get = async (path: string) => (await world.get(`/shards/na/matches${path}`)).body;

test("of two rosters with one id, a page has that of its first match; each single match has its own", async () => {
  const participants = (body: object) =>
    included(body as never, "roster", "the-roster")!.relationships;
  const [first, second] = [await get("/same-roster-1"), await get("/same-roster-2")];
  expect(participants(first)).not.toEqual(participants(second));
  const page = "?filter[patchVersion]=same-roster";
  expect(participants(await get(page))).toEqual(participants(first));
  expect(participants(await get(`${page}&sort=-createdAt`))).toEqual(participants(second));
});

test("relationships that a path cannot name are followed by default only", async () => {
  // Their names are not JSON:API.
  const ask = async (query: string) =>
    (await getAs(world, `/shards/na/matches/oddly-named${query}`)).body;
  const assets = ({ included }: { included?: unknown }) =>
    (included as { type: string; id: string }[]).flatMap(({ type, id }) =>
      type === "asset" ? id : [],
    );
  expect(assets(await ask(""))).toEqual(["x", "y"]);
  expect(assets(await ask("?include=assets.next"))).toEqual(["x", "y"]);
  for (const path of ["a.b", "c,d", ".next", "next"]) {
    const { errors } = await ask(`?include=${path}`);
    const [{ detail }] = errors as [{ detail: string }];
    expect(detail).toContain("rosters.team, assets, assets.next. You sent");
  }
});
