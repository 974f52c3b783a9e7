/** Tests rate limits and quotas under concurrency: nobody gets more than their limit, and nobody less. */

import { afterAll, describe, expect, test } from "bun:test";
import { type KeyIn, serveWithKeys, TestClock } from "../support/keys.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { type Reply, startWorld } from "../support/world.ts";

const MATCH = "/shards/na/matches/match-a";
const world = await startWorld([aMatch({ id: "match-a" })]);
afterAll(() => world.stop());

type Ask = (path?: string) => Promise<Reply>;

/** A server with one key, on a clock of the test's own unless it wants the real one. */
async function withKey(
  terms: KeyIn,
  work: (ask: Ask, clock: TestClock) => Promise<unknown>,
  isReal = false,
): Promise<void> {
  const clock = new TestClock();
  const server = await serveWithKeys(world, [terms], {}, isReal ? undefined : clock);
  try {
    await work(
      (path = MATCH) =>
        world.get(`${server.url}${path}`, { Authorization: `Bearer ${server.keys[0]}` }),
      clock,
    );
  } finally {
    await server.stop();
  }
}

const ofStatus = (replies: Reply[], status: number) =>
  replies.filter((reply) => reply.status === status);
const remaining = ({ headers }: Reply) => Number(headers.get("x-ratelimit-remaining"));
const retryAfter = ({ headers }: Reply) => Number(headers.get("retry-after"));
const atOnce = (count: number, ask: Ask) => Promise.all(Array.from({ length: count }, () => ask()));

describe("200 requests at once", () => {
  test.each([1, 7, 60, 199, 200])("pass as the bucket of %d holds", async (rate) => {
    await withKey({ rate }, async (ask) => {
      const replies = await atOnce(200, ask);
      expect(ofStatus(replies, 200)).toHaveLength(rate);
      expect(ofStatus(replies, 429)).toHaveLength(200 - rate);
    });
  });

  test("count down without a gap and without a number twice", async () => {
    await withKey({ rate: 120 }, async (ask) => {
      const passed = ofStatus(await atOnce(200, ask), 200);
      const seen = passed.map(remaining).toSorted((one, other) => other - one);
      expect(seen).toEqual(Array.from({ length: 120 }, (_, index) => 119 - index));
    });
  });

  test("pass as the bucket and what flowed in meanwhile allow", async () => {
    await withKey({ rate: 30, burst: 50 }, async (ask, clock) => {
      expect(ofStatus(await atOnce(200, ask), 200)).toHaveLength(50);
      // Just under twelve seconds at 30 a minute are 5 tokens, and not quite a sixth one.
      clock.advance(11_999);
      expect(ofStatus(await atOnce(200, ask), 200)).toHaveLength(5);
      clock.advance(1);
      expect(ofStatus(await atOnce(200, ask), 200)).toHaveLength(1);
      clock.advance(3_600_000);
      expect(ofStatus(await atOnce(200, ask), 200)).toHaveLength(50);
    });
  });

  test("of two rates are counted apart", async () => {
    const server = await serveWithKeys(world, [{ rate: 20 }, { rate: 30 }], {}, new TestClock());
    try {
      const replies = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          world.get(`${server.url}${MATCH}`, {
            Authorization: `Bearer ${server.keys[index % 2]}`,
          }),
        ),
      );
      expect(ofStatus(replies, 200)).toHaveLength(50);
    } finally {
      await server.stop();
    }
  });
});

describe("Retry-After is right", () => {
  test.each([1, 7, 60, 90])("at %d a minute: that long, and not a second less", async (rate) => {
    await withKey({ rate }, async (ask, clock) => {
      const [refused] = ofStatus(await atOnce(rate + 1, ask), 429);
      const seconds = retryAfter(refused!);
      clock.advance((seconds - 1) * 1000);
      expect((await ask()).status).toBe(429);
      clock.advance(1000);
      expect((await ask()).status).toBe(200);
    });
  });

  test("on the real clock too", async () => {
    const refillMs = 2000;
    await withKey(
      { rate: 30, burst: 1 },
      (ask) =>
        // A machine too busy to ask in time finds out nothing: it has another go.
        until("a round that the machine was fast enough for", async () => {
          const began = performance.now();
          const first = await ask();
          const refused = await ask();
          await Bun.sleep((retryAfter(refused) - 1) * 1000);
          const early = await ask();
          if (performance.now() - began >= refillMs) {
            await Bun.sleep(refillMs);
            return undefined;
          }
          expect([first.status, refused.status, early.status]).toEqual([200, 429, 429]);
          await Bun.sleep(1000);
          expect((await ask()).status).toBe(200);
          return true;
        }),
      true,
    );
  });
});
