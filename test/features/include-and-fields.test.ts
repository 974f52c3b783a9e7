/** Tests include and fields. */

import { afterAll, describe, expect, test } from "bun:test";
import { aMatch, minutesAgo } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const documents = [1, 2].map((number) =>
  aMatch({
    id: `match-${number}`,
    createdAt: minutesAgo(50 - number),
    rosters: [
      { members: [{ id: "p1" }, { id: `p2-${number}` }], team: { id: "t1", name: "ONE" } },
      { members: [{ id: `p3-${number}` }, { bot: true }] },
    ],
    relationships: {
      assets: { data: [{ type: "asset", id: `a-${number}` }] },
      rounds: { data: [{ type: "round", id: "round-1" }] },
      spectators: { data: [] },
    },
    included: [
      {
        type: "asset",
        id: `a-${number}`,
        attributes: { URL: "https://files.example/x", name: "telemetry" },
      },
      {
        type: "round",
        id: "round-1",
        attributes: { n: 1 },
        relationships: { map: { data: { type: "map", id: "map-1" } } },
      },
      { type: "map", id: "map-1", attributes: { name: "Halcyon" } },
    ],
  }),
);
const world = await startWorld(documents);
afterAll(() => world.stop());

const SINGLE = "/shards/na/matches/match-1";
const LIST = "/shards/na/matches";
const PLAYER = "/shards/na/players/p1";
const PLAYERS = "/shards/na/players";

async function get(path: string) {
  const reply = await world.get(path);
  expect(reply.status).toBe(200);
  return reply.body;
}

describe.each([
  ["a single match", SINGLE],
  ["the matches", LIST],
])("include on %s", (_, path) => {
  test.each(["include=", "include"])("?%s (empty) gives an empty included", async (query) => {
    const body = await get(`${path}?${query}`);
    expect(body.included).toEqual([]);
    expect(body.data).toEqual((await get(path)).data);
    const sparse = await get(`${path}?${query}&fields[match]=duration`);
    expect(sparse.included).toEqual([]);
  });
});

describe.each([
  ["a single player", PLAYER],
  ["the players", PLAYERS],
])("include on %s", (_, path) => {
  test.each(["", "fields[player]=name"])(
    "may be empty, and only then adds included, an empty list: %s",
    async (query) => {
      const without = await get(`${path}?${query}`);
      const body = await get(`${path}?include=&${query}`);
      expect(body.data).toEqual(without.data);
      expect(body.included).toEqual([]);
      expect(without).not.toHaveProperty("included");
    },
  );
});

describe("fields", () => {
  test.each(["fields[match]=", "fields[match]"])(
    "%s (empty) sends neither attributes nor relationships of that type",
    async (query) => {
      const bare = { type: "match", id: "match-1" };
      const whole = await get(SINGLE);
      expect(await get(`${SINGLE}?${query}`)).toMatchObject({ included: whole.included });
      expect((await get(`${SINGLE}?${query}`)).data).toEqual(bare);
      expect((await get(`${LIST}?${query}&page[limit]=1`)).data).toEqual([bare]);
    },
  );

  test("of a type that the response does not contain change nothing", async () => {
    expect((await get(`${PLAYER}?fields[match]=duration`)).data).toEqual((await get(PLAYER)).data);
  });
});
