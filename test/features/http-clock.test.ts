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

async function withClock(
  work: (
    clock: { set(time: number): void; wait(milliseconds: number): void },
    request: (path: string) => Promise<number>,
  ) => Promise<void>,
): Promise<void> {
  let [time, monotonic] = [NOON, 0];
  const clock = { now: () => time, monotonic: () => monotonic };
  const wanted = [{ name: "one", matchesPerDay: 1 }];
  await using server = await serveWithKeys(world, wanted, {}, clock);
  const set = (to: number) => {
    time = to;
  };
  const wait = (milliseconds: number) => {
    time += milliseconds;
    monotonic += milliseconds;
  };
  const headers = { Authorization: `Bearer ${server.keys[0]}` };
  const request = async (path: string) => (await world.get(`${server.url}${path}`, headers)).status;
  await work({ set, wait }, request);
}

test("a clock jump of a day does not reset today's quota; a passing day does, and so does a lasting jump", async () => {
  await withClock(async (clock, request) => {
    expect(await request("/shards/na/matches/match-a")).toBe(200);
    expect(await request("/shards/na/matches/match-b")).toBe(429);
    clock.set(NOON + DAY);
    expect(await request("/shards/na/matches/match-b")).toBe(429);
    clock.wait(3000);
    expect(await request("/shards/na/matches/match-b")).toBe(429);
    clock.set(NOON + 3000);
    expect(await request("/shards/na/matches/match-b")).toBe(429);
    clock.wait(DAY / 2);
    expect(await request("/shards/na/matches/match-b")).toBe(200);
    expect(await request("/shards/na/matches/match-a")).toBe(429);
    clock.set(NOON + 7 * DAY);
    expect(await request("/shards/na/matches/match-a")).toBe(429);
    clock.wait(61_000);
    expect(await request("/shards/na/matches/match-a")).toBe(200);
  });
});

test("a clock jump of 500 days deletes no history, and leaves no future days", async () => {
  const access = openAccess({ data: world.data });
  const old = { keyId: "k_old", day: dayOf(NOON) - 300, status: 200, requests: 1, records: 1 };
  await access.usage.add([{ ...old, lastSeen: NOON - 300 * DAY }], []);
  await withClock(async (clock, request) => {
    clock.set(NOON + 500 * DAY);
    expect(await request("/shards/na/matches/match-a")).toBe(200);
    clock.wait(3000);
    expect(await request("/usage")).toBe(200);
    // The server stops, and writes usage, while the clock is wrong.
  });
  const days = (await access.usage.read(0)).map(({ day }) => day - dayOf(NOON));
  expect(Math.min(...days)).toBe(-300);
  expect(Math.max(...days)).toBeLessThanOrEqual(7);
  await access.close();
});
