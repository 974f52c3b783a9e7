/** Tests single resources: GET /matches/{id} and GET /players/{id}. */

import { afterAll, describe, expect, test } from "bun:test";
import { problemIn } from "../support/problems.ts";
import { aMatch, minutesAgo } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const rich = aMatch({
  id: "0a1b2c3d-0f34-4b2f-9d46-3a5f3a3c0a11",
  createdAt: minutesAgo(30),
  mode: "casual",
  patch: "2.13",
  winner: 1,
  rosters: [
    {
      members: [{ id: "registered", name: "Ada", gold: 1500.5 }, { bot: true }],
      team: { id: "team-abc", name: "ABC" },
      attributes: { stats: { acesEarned: 2, gold: 41_000, side: "left/blue" } },
    },
    { members: [{ id: "opponent", name: "Grace" }] },
  ],
  stats: { acesEarned: 7 },
});
const MATCH = `/shards/na/matches/${rich.data.id}`;

const world = await startWorld([rich]);
afterAll(() => world.stop());

const get = async (path: string) => {
  const response = await world.get(path);
  expect(response.status).toBe(200);
  return response.body;
};

test("a match is the same resource alone and in the collection", async () => {
  const single = await get(MATCH);
  const list = await get("/shards/na/matches?filter[patchVersion]=2.13");
  expect(list.data).toEqual([single.data]);
  expect(list.included).toEqual(single.included);
});

describe("a record that does not exist", () => {
  test.each([
    "matches/nobody",
    `matches/${String(rich.data.id).toUpperCase()}`,
    "matches/registered",
    "matches/%00",
    "matches/%E8%89%BE",
    "matches/%zz",
    `matches/${"a".repeat(200)}`,
    "matches/a%2Fb",
    "players/nobody",
    "players/Registered",
    "players/Ada",
    `players/${rich.data.id}`,
  ])("is a 404: %s", async (path) => {
    const response = await world.get(`/shards/na/${path}`);
    expect(response.status).toBe(404);
    const problem = problemIn(response);
    expect(problem.code).toBe("not-found");
    expect(problem.source).toBeUndefined();
  });

  test("a record of another shard is not found", async () => {
    await world.ingest([aMatch({ id: "over-there", shard: "eu" })]);
    expect((await world.get("/shards/eu/matches/over-there")).status).toBe(200);
    expect((await world.get("/shards/na/matches/over-there")).status).toBe(404);
  });
});

test("a single match is served however old it is: the window applies only to the collection", async () => {
  await world.ingest([aMatch({ id: "ancient", createdAt: "2011-11-11T11:11:11Z" })]);
  expect((await get("/shards/na/matches/ancient")).data.attributes.createdAt).toBe(
    "2011-11-11T11:11:11Z",
  );
});

test.each([
  ["nowhere", undefined],
  ["eur", "eu"],
  ["NA", "na"],
  ["%20na", "na"],
  ["..%2Fna", undefined],
])("an unknown shard is a 404 that says which shards exist: %s", async (shard, guess) => {
  await world.ingest([aMatch({ id: "one-more", shard: "eu" })]);
  for (const rest of ["matches", "matches/nobody", "players", "players/registered"]) {
    const response = await world.get(`/shards/${shard}/${rest}`);
    expect(response.status).toBe(404);
    const problem = problemIn(response);
    expect(problem.code).toBe("unknown-shard");
    expect(problem.detail).toMatch(/\beu\b.*\bna\b/);
    if (guess !== undefined) expect(problem.detail).toContain(`"${guess}"`);
  }
});
