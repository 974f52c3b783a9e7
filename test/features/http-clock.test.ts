/** Tests a system clock that is wrong for a moment: no key gets a new quota, and no usage is lost. */

import { afterAll, expect, test } from "bun:test";
import { dayOf } from "../../src/access/usage.ts";
import { openAccess } from "../../src/open-access.ts";
import { serveWithKeys } from "../support/keys.ts";
import { aMatch } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const DAY = 86_400_000;
const NOON = Date.UTC(2026, 2, 10, 12);
const world = await startWorld(
  ["match-a", "match-b"].map((id) =>
    aMatch({ id, createdAt: new Date(NOON - 60_000).toISOString() }),
  ),
);
afterAll(() => world.stop());

/** A server whose clock is set, and a key with a quota of one match. */
async function serving() {
  let [time, monotonic] = [NOON, 0];
  const clock = { now: () => time, monotonic: () => monotonic };
  const server = await serveWithKeys(world, [{ matchesPerDay: 1 }], {}, clock);
  return {
    status: async (path: string) => (await server.ask(path)).status,
    set(to: number) {
      time = to;
    },
    wait(milliseconds: number) {
      time += milliseconds;
      monotonic += milliseconds;
    },
    stop: () => server.stop(),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

const A = "/shards/na/matches/match-a";
const B = "/shards/na/matches/match-b";

test("a clock jump of a day does not reset today's quota; a passing day does, and so does a lasting jump", async () => {
  await using site = await serving();
  expect([await site.status(A), await site.status(B)]).toEqual([200, 429]);
  site.set(NOON + DAY);
  expect(await site.status(B)).toBe(429);
  site.wait(3000);
  expect(await site.status(B)).toBe(429);
  site.set(NOON + 3000);
  expect(await site.status(B)).toBe(429);
  site.wait(DAY / 2);
  expect([await site.status(B), await site.status(A)]).toEqual([200, 429]);
  site.set(NOON + 7 * DAY);
  expect(await site.status(A)).toBe(429);
  site.wait(61_000);
  expect(await site.status(A)).toBe(200);
});

test("a clock jump of 500 days deletes no history, and leaves no future days", async () => {
  const access = openAccess({ data: world.data });
  const old = { keyId: "k_old", day: dayOf(NOON) - 300, status: 200, requests: 1, records: 1 };
  await access.usage.add([{ ...old, lastSeen: NOON - 300 * DAY }], []);
  const site = await serving();
  site.set(NOON + 500 * DAY);
  expect(await site.status(A)).toBe(200);
  site.wait(3000);
  expect(await site.status("/usage")).toBe(200);
  // It writes usage while the clock is wrong.
  await site.stop();
  const days = (await access.usage.read(0)).map(({ day }) => day - dayOf(NOON));
  expect(Math.min(...days)).toBe(-300);
  expect(Math.max(...days)).toBeLessThanOrEqual(7);
  await access.close();
});
