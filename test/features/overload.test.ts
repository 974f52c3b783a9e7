/** Tests what clients see of an overloaded server. */

import { afterAll, expect, spyOn, test } from "bun:test";
import type { Event } from "../../src/observe/events.ts";
import { hasEndpoint } from "../support/endpoints.ts";
import { StreamClient } from "../support/event-stream.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { exchangeAtOnce } from "../support/wire.ts";
import { JSON_API, startWorld } from "../support/world.ts";

/** Time passes only with looks at the clock, much of it with each, so that few requests make a turn too long. */
function slowClock() {
  let elapsed = 0;
  const monotonic = () => {
    elapsed += 10;
    return elapsed;
  };
  return { now: Date.now, monotonic };
}

const events: Event[] = [];
const world = await startWorld(
  [aMatch({ id: "match-a" })],
  // Nothing is refilled during the test.
  { "max-delay-ms": "50" },
  slowClock(),
  "[tiers.hobby]\nrate = 1\nburst = 1000\n",
  undefined,
  undefined,
  (event) => events.push(event),
);
afterAll(() => world.stop());

const HOST = "Host: here";
const MATCH = [
  "GET /shards/na/matches/match-a HTTP/1.1",
  HOST,
  `Authorization: Bearer ${world.key}`,
  `Accept: ${JSON_API}`,
];
const HEALTH = ["GET /healthz HTTP/1.1", HOST];

test("beyond the limits, requests get 503 overloaded with Retry-After, and cost the caller nothing", async () => {
  const before = Number((await world.get("/usage")).headers.get("x-ratelimit-remaining"));
  const burst = [...Array<string[]>(100).fill(MATCH), HEALTH];
  const responses = await exchangeAtOnce(world.url, burst);
  expect(responses.pop()!.status).toBe(200);
  const served = responses.filter(({ status }) => status === 200);
  const refused = responses.filter(({ status }) => status === 503);
  expect(served.length + refused.length).toBe(responses.length);
  expect(served.length).toBeGreaterThanOrEqual(32);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers, body } of refused) {
    expect(headers.get("retry-after")).toBe("1");
    expect(headers.get("content-type")).toBe(JSON_API);
    expect(JSON.parse(body).errors[0].code).toBe("overloaded");
  }
  // Served again at once: one alone is never too many.
  const after = Number((await world.get("/usage")).headers.get("x-ratelimit-remaining"));
  expect(before - after).toBe(served.length + 1);
  expect(events.some(({ event }) => event === "overloaded")).toBe(true);
});

test("a request without a key that is held back takes no place of others", async () => {
  const limits = { "max-in-flight": "1", "open-requests-per-minute": "1" };
  const narrow = await startWorld([aMatch({ id: "match-a" })], limits);
  const { promise: isOver, resolve: release } = Promise.withResolvers<void>();
  const original = Bun.sleep;
  const sleep = spyOn(Bun, "sleep").mockImplementation((ms) =>
    ms === 100 ? isOver : original(ms),
  );
  const held = () => sleep.mock.calls.filter(([ms]) => ms === 100);
  try {
    const keyless = Array.from({ length: 3 }, () => fetch(`${narrow.url}/shards/na/matches`));
    await until("one of them is held back", () => held().length > 0);
    expect((await narrow.get("/shards/na/matches/match-a")).status).toBe(200);
    release();
    await Promise.all(keyless);
  } finally {
    sleep.mockRestore();
    await narrow.stop();
  }
});

if (hasEndpoint("/shards/na/changes"))
  test("a stream of changes takes no place of others", async () => {
    await using narrow = await startWorld([aMatch()], { "max-in-flight": "1" });
    const headers = { Authorization: `Bearer ${narrow.key}` };
    using stream = await StreamClient.open(`${narrow.url}/shards/na/changes`, headers);
    expect(stream.response.status).toBe(200);
    expect((await narrow.get("/shards/na/matches")).status).toBe(200);
  });
