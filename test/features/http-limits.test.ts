/** Tests rate limits and quotas under concurrency: nobody gets more than their limit, and nobody less. */

import { afterAll, describe, expect, test } from "bun:test";
import { type KeyIn, serveWithKeys, TestClock } from "../support/keys.ts";
import { aMatch } from "../support/records.ts";
import { type Reply, startWorld } from "../support/world.ts";

const MATCH = "/shards/na/matches/match-a";
const world = await startWorld([aMatch({ id: "match-a" })]);
afterAll(() => world.stop());

type Ask = (path?: string) => Promise<Reply>;

/** A server with one key, on a clock of the test's own. */
async function withKey(
  terms: KeyIn,
  work: (ask: Ask, clock: TestClock) => Promise<unknown>,
): Promise<void> {
  const clock = new TestClock();
  await using server = await serveWithKeys(world, [terms], {}, clock);
  const ask: Ask = (path = MATCH) =>
    world.get(`${server.url}${path}`, { Authorization: `Bearer ${server.keys[0]}` });
  await work(ask, clock);
}

const ofStatus = (replies: Reply[], status: number) =>
  replies.filter((reply) => reply.status === status);
const atOnce = (count: number, ask: Ask) => Promise.all(Array.from({ length: count }, () => ask()));

describe("200 requests at once", () => {
  test.each([1, 7, 60, 199, 200])("pass as far as a bucket of %d has tokens", async (rate) => {
    await withKey({ rate }, async (ask) => {
      const replies = await atOnce(200, ask);
      expect(ofStatus(replies, 200)).toHaveLength(rate);
      expect(ofStatus(replies, 429)).toHaveLength(200 - rate);
    });
  });
});
