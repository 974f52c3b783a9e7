/** Tests when limits are looked at. The order of the other checks is in requests.test.ts, what errors reveal in test/contract. */

import { afterAll, describe, expect, test } from "bun:test";
import { serveWithKeys, TestClock } from "../support/keys.ts";
import { problemIn } from "../support/problems.ts";
import { aMatch } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const world = await startWorld([aMatch()]);
// Its clock stands still, so that nothing is refilled.
const server = await serveWithKeys(world, [{ rate: 1 }], {}, new TestClock());
await server.ask("/shards/na/players");
afterAll(async () => {
  await server.stop();
  await world.stop();
});

const M = "/shards/na/matches";

describe("the rate limit is looked at", () => {
  test.each([
    ["Accept", M, { Accept: "text/html" }],
    ["the shard", "/shards/nowhere/matches", {}],
    ["parameters", `${M}?nonsense=1`, {}],
  ])("before %s", async (_, path, headers) => {
    expect(problemIn(await server.ask(path, headers)).code).toBe("rate-limited");
  });

  test("after credentials", async () => {
    const clock = new TestClock();
    const terms = { rate: 1, burst: 1, expiresAt: clock.now() + 1000 };
    await using limited = await serveWithKeys(world, [terms], {}, clock);
    const request = async () => (await limited.ask(M)).status;
    expect([await request(), await request()]).toEqual([200, 429]);
    clock.advance(2000);
    expect(await request()).toBe(401);
  });
});
