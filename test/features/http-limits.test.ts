/** Tests rate limits under concurrency: nobody gets more than their limit, and nobody less. */

import { expect, test } from "bun:test";
import { serveWithKeys, TestClock } from "../support/keys.ts";
import { aMatch } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

test("200 requests at once pass as far as each bucket has tokens", async () => {
  const rates = [1, 7, 60, 199, 200];
  await using world = await startWorld([aMatch({ id: "match-a" })]);
  const keys = rates.map((rate) => ({ rate }));
  await using server = await serveWithKeys(world, keys, {}, new TestClock());
  for (const [at, rate] of rates.entries()) {
    const headers = { Authorization: `Bearer ${server.keys[at]}` };
    const ask = () => world.get(`${server.url}/shards/na/matches/match-a`, headers);
    const replies = await Promise.all(Array.from({ length: 200 }, ask));
    const passed = replies.filter(({ status }) => status === 200).length;
    const limited = replies.filter(({ status }) => status === 429).length;
    expect([passed, limited]).toEqual([rate, 200 - rate]);
  }
});
