/** Tests that neither what records contain nor what callers ask for makes `fields` cost more than reading the record. */

import { afterAll, expect, test } from "bun:test";
import type { JsonObject } from "../../src/domain/json.ts";
import { aMatch, type MatchDocument } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

/** A match whose participants have these attributes. */
function matchWith(id: string, attributes: JsonObject): MatchDocument {
  const match = aMatch({ id });
  for (const resource of match.included) {
    if (resource.type === "participant")
      resource.attributes = { ...(resource.attributes as JsonObject), ...attributes };
  }
  return match;
}

const LONG = "a".repeat(4_000_000);
const MANY = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`s${at}`, at]));

const world = await startWorld([
  matchWith("plain", { e: { typf: LONG } }),
  matchWith("like-a-resource", { e: { type: LONG } }),
  matchWith("many-members", MANY),
]);
afterAll(() => world.stop());

/** How much longer the first takes than the second: the fastest of five times each, in turns. */
async function ratioOf(...paths: [string, string]): Promise<number> {
  const [first, second] = [[], []] as [number[], number[]];
  for (let attempt = 0; attempt < 5; attempt++) {
    for (const [at, times] of [first, second].entries()) {
      const start = performance.now();
      const { status } = await world.get(`/shards/na/matches/${paths[at]}`);
      times.push(performance.now() - start);
      expect(status).toBe(200);
    }
  }
  return Math.min(...first) / Math.min(...second);
}

/** As many different names as a URL can have, none of which the record has. */
const names = Array.from({ length: 900 }, (_, at) => `s${(100_000 + at).toString(36)}`).join();

test.each([
  [
    "a long text where a resource would have its type",
    "like-a-resource?fields[roster]=won",
    "plain?fields[roster]=won",
  ],
  [
    "many names that begin as the members do",
    `many-members?fields[participant]=${names}`,
    "many-members?fields[participant]=s1",
  ],
])("%s costs hardly more than anything else", async (_name, path, usual) => {
  expect(await ratioOf(path, usual)).toBeLessThan(8);
});
