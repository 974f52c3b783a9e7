/** Tests the routes about the service itself. */

import { afterAll, expect, test } from "bun:test";
import { aMatch } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const began = Date.now();
const newest = began - 90_000;
const world = await startWorld([
  aMatch({ shard: "na", createdAt: newest }),
  aMatch({ shard: "na", createdAt: newest - 60_000 }),
  aMatch({ shard: "na", createdAt: newest + 30_000, mode: "practice" }),
  aMatch({ shard: "na", createdAt: newest + 40_000, ending: "exitpractice" }),
  aMatch({ shard: "eu", createdAt: began - 86_400_000 }),
  aMatch({ shard: "sa", mode: "practice" }),
]);
afterAll(() => world.stop());

const BARE = { Authorization: null, Accept: "*/*" };

test("the status has the newest served match of every shard and its age, if there is one", async () => {
  const [eu, na, sa] = (await world.get("/status", BARE)).body.shards;
  expect(Date.parse(na.newestMatch)).toBe(newest);
  expect(na.ageSeconds).toBeWithin(90, 90 + Math.ceil((Date.now() - began) / 1000) + 1);
  expect(eu.ageSeconds).toBeGreaterThanOrEqual(86_400);
  expect(sa).toEqual({ id: "sa", available: true, newestMatch: null, ageSeconds: null });
});

test("listed shards exist from the start, and no others", async () => {
  await using listed = await startWorld([], {}, undefined, "[shards.na]\n[shards.eu]\n");
  const { body } = await listed.get("/status", BARE);
  expect(body.shards).toMatchObject([
    { id: "eu", available: true, newestMatch: null },
    { id: "na", available: true, newestMatch: null },
  ]);
  expect((await listed.get("/shards/eu/matches")).body.data).toEqual([]);
  expect((await listed.get("/shards/eu/players")).body.data).toEqual([]);
  expect((await listed.get("/shards/sa/matches")).status).toBe(404);
});
