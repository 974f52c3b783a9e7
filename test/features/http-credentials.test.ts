/** Tests the Authorization header. */

import { afterAll, expect, test } from "bun:test";
import { hashKey, makeKey } from "../../src/access/key.ts";
import { serveWithKeys } from "../support/keys.ts";
import { anonymous } from "../support/problems.ts";
import { aMatch } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const world = await startWorld([aMatch({ id: "match-a" })]);
const server = await serveWithKeys(world, [
  {},
  { revoked: true },
  { expiresAt: Date.now() - 1000 },
]);
const [live, revoked, expired] = server.keys as [string, string, string];
afterAll(async () => {
  await server.stop();
  await world.stop();
});

const request = (path: string, authorization: string | null) =>
  world.get(`${server.url}${path}`, { Authorization: authorization });

const WRONG: [what: string, authorization: string][] = [
  ["an empty header", ""],
  ["another scheme", `Basic ${btoa(`user:${live}`)}`],
  ["another scheme with a live key", `Token ${live}`],
  ["the key without the word Bearer", live],
  ["the hash of a key", `Bearer ${hashKey(live)}`],
  ["the word Bearer without a key", "Bearer"],
  ["an unknown key", `Bearer ${makeKey()}`],
  ["a malformed key", "Bearer nonsense"],
  [
    "a key with one character wrong",
    `Bearer ${live.slice(0, -1)}${live.endsWith("0") ? "1" : "0"}`,
  ],
  ["a key in the wrong case", `Bearer ${live.toUpperCase()}`],
  ["a key and something after it", `Bearer ${live} ${live}`],
  ["two keys", `Bearer ${live}, Bearer ${live}`],
  ["a key in quotes", `Bearer "${live}"`],
  ["no space before the key", `Bearer${live}`],
  ["a very long key", `Bearer ${live.repeat(50)}`],
  ["a revoked key", `Bearer ${revoked}`],
  ["an expired key", `Bearer ${expired}`],
];

test.each(WRONG)("%s gets the same 401 as none at all", async (_, authorization) => {
  const none = await request("/shards/na/matches", null);
  const wrong = await request("/shards/na/matches", authorization);
  expect(wrong.status).toBe(401);
  expect(anonymous(wrong)).toEqual(anonymous(none));
  expect(wrong.headers.get("www-authenticate")).toBe("Bearer");
});

test.each(["bearer ", "BEARER ", "Bearer   "])("a key is read after %p", async (scheme) => {
  expect((await request("/shards/na/matches", scheme + live)).status).toBe(200);
});

test("a caller without a key learns nothing about shards, records or parameters", async () => {
  const known = anonymous(await request("/shards/na/matches/match-a", null));
  for (const path of [
    "/shards/na/matches/nobody",
    "/shards/nowhere/matches",
    "/shards/na/matches?nonsense=1",
    `/shards/na/matches?Authorization=${live}`,
  ]) {
    expect(anonymous(await request(path, null))).toEqual(known);
  }
});
