/** Tests what clients see of an overloaded server. */

import { afterAll, expect, test } from "bun:test";
import type { Event } from "../../src/observe/events.ts";
import { aMatch } from "../support/records.ts";
import { exchangeAtOnce } from "../support/wire.ts";
import { JSON_API, startWorld } from "../support/world.ts";

/** Much time passes with each look at the clock, so that a single request takes longer than a turn may. */
function slowClock() {
  let elapsed = 0;
  const monotonic = () => {
    elapsed += 60;
    return elapsed;
  };
  return { now: Date.now, monotonic };
}

const events: Event[] = [];
const world = await startWorld(
  [aMatch({ id: "match-a" })],
  // Nothing is refilled during the test.
  { "max-waiting": "1", "max-in-flight": "1", rate: "1", burst: "60" },
  slowClock(),
  "",
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
const NO_KEY = ["GET /shards/na/matches/match-a HTTP/1.1", HOST];
const HEALTH = ["GET /healthz HTTP/1.1", HOST];

test("beyond the limits, requests get 503 overloaded with Retry-After, and cost the caller nothing", async () => {
  const before = Number((await world.get("/usage")).headers.get("x-ratelimit-remaining"));
  const burst = [MATCH, MATCH, MATCH, MATCH, NO_KEY, MATCH, MATCH, HEALTH];
  const responses = await exchangeAtOnce(world.url, burst);
  expect(responses[4]!.status).toBe(401);
  expect(responses[7]!.status).toBe(200);
  const others = responses.filter((_, index) => burst[index] === MATCH);
  const served = others.filter(({ status }) => status === 200);
  const refused = others.filter(({ status }) => status === 503);
  expect(served.length + refused.length).toBe(others.length);
  // One is worked on, and one place is for those that wait.
  expect(served.length).toBeWithin(1, 3);
  for (const { headers, body } of refused) {
    expect(headers.get("retry-after")).toBe("1");
    expect(headers.get("content-type")).toBe(JSON_API);
    expect(JSON.parse(body).errors).toEqual([
      {
        id: headers.get("x-request-id"),
        status: "503",
        code: "overloaded",
        title: "Server overloaded",
        detail: expect.stringContaining("Retry after 1 s"),
      },
    ]);
  }
  const after = Number((await world.get("/usage")).headers.get("x-ratelimit-remaining"));
  expect(before - after).toBe(served.length + 1);
  expect(events.some(({ event }) => event === "overloaded")).toBe(true);
});

test("after an overload, requests are served again", async () => {
  await exchangeAtOnce(world.url, [MATCH, MATCH, MATCH, MATCH]);
  expect((await world.get("/shards/na/matches/match-a")).status).toBe(200);
});

test("a request that waits for changes takes no place of others", async () => {
  const sent: Event[] = [];
  const log = (event: Event) => void sent.push(event);
  const limits = { "max-in-flight": "1" };
  const narrow = await startWorld([aMatch()], limits, undefined, "", undefined, undefined, log);
  const waiting = narrow.get("/shards/na/changes?page[wait]=20");
  // With one place for the shard, these would wait until the other one has its response.
  for (let count = 0; count < 3; count++) {
    expect((await narrow.get("/shards/na/matches")).status).toBe(200);
  }
  expect(sent.some((one) => one.event === "request" && one.path.endsWith("/changes"))).toBe(false);
  await narrow.ingest([aMatch({ id: "match-b" })]);
  expect((await waiting).body.data).toHaveLength(1);
  await narrow.stop();
});
