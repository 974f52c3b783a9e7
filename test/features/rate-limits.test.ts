/** Tests rate limits: their headers, 429 responses, and that all which a key asks for counts, also what is refused then. */

import { afterAll, expect, test } from "bun:test";
import { serveWithKeys, TestClock } from "../support/keys.ts";
import { problemIn } from "../support/problems.ts";
import { aMatch } from "../support/records.ts";
import { type Reply, startWorld } from "../support/world.ts";

const MATCH = "/shards/na/matches/match-a";
const world = await startWorld([aMatch({ id: "match-a" })]);
afterAll(() => world.stop());

/** A server with a key of each rate. Its clock stands still, so that nothing is refilled. */
const withKeys = (...rates: number[]) =>
  serveWithKeys(
    world,
    rates.map((rate) => ({ rate })),
    {},
    new TestClock(),
  );

const NAMES = [
  ...["ratelimit-policy", "ratelimit", "x-ratelimit-limit"],
  ...["x-ratelimit-remaining", "x-ratelimit-reset"],
];
const limits = ({ headers }: Reply) => NAMES.map((name) => headers.get(name));

test("a key over its rate limit gets 429 with the time to wait for the next token, and no other key does", async () => {
  await using keys = await withKeys(2, 1);
  for (const left of ["1", "0"]) {
    const { status, headers } = await keys.ask(MATCH);
    expect([status, headers.get("x-ratelimit-remaining")]).toEqual([200, left]);
    expect(headers.get("retry-after")).toBeNull();
  }
  // What is refused is not charged: the wait does not grow.
  for (let sent = 0; sent < 3; sent++) {
    const refused = await keys.ask(MATCH);
    expect([refused.status, problemIn(refused).code]).toEqual([429, "rate-limited"]);
    expect(refused.headers.get("retry-after")).toBe("30");
    expect(limits(refused)).toEqual(['"default";q=2;w=60', '"default";r=0;t=60', "2", "0", "60"]);
  }
  expect((await keys.ask(MATCH, {}, "GET", 1)).status).toBe(200);
});

test("every authenticated request costs one token, including HEAD, 304 and refusals", async () => {
  await using keys = await withKeys(7);
  const first = await keys.ask(MATCH);
  const responses = [
    first,
    await keys.ask(MATCH, {}, "HEAD"),
    await keys.ask(MATCH, { "If-None-Match": first.headers.get("etag") }),
    await keys.ask("/shards/na/matches/nobody"),
    await keys.ask("/shards/nowhere/matches"),
    await keys.ask("/shards/na/matches?nonsense=1"),
    await keys.ask(MATCH, { Accept: "text/html" }),
  ];
  const left = responses.map(({ status, headers }) => [
    status,
    headers.get("x-ratelimit-remaining"),
  ]);
  expect(left).toEqual([
    ...[
      [200, "6"],
      [200, "5"],
      [304, "4"],
    ],
    ...[
      [404, "3"],
      [404, "2"],
      [400, "1"],
      [406, "0"],
    ],
  ]);
  expect((await keys.ask(MATCH)).status).toBe(429);
});

test("a key that has expired is refused as such, whatever is left of its limit", async () => {
  const clock = new TestClock();
  const terms = { rate: 1, expiresAt: clock.now() + 1000 };
  await using limited = await serveWithKeys(world, [terms], {}, clock);
  const status = async () => (await limited.ask(MATCH)).status;
  expect([await status(), await status()]).toEqual([200, 429]);
  clock.advance(2000);
  expect(await status()).toBe(401);
});

test("requests that need no key cost nothing", async () => {
  await using keys = await withKeys(1);
  for (const [path, method] of [
    ["/status", "GET"],
    ["/healthz", "GET"],
    ["/readyz", "GET"],
    [MATCH, "OPTIONS"],
    [MATCH, "POST"],
    ["/nowhere", "GET"],
  ] as const) {
    expect(limits(await keys.ask(path, {}, method))).toEqual(NAMES.map(() => null));
  }
  const keyless = await keys.ask(MATCH, { Authorization: null });
  expect(limits(keyless)).toEqual(NAMES.map(() => null));
  expect((await keys.ask(MATCH)).status).toBe(200);
});

test("200 requests at once pass as far as each bucket has tokens", async () => {
  const rates = [1, 7, 60, 199, 200];
  await using keys = await withKeys(...rates);
  for (const [at, rate] of rates.entries()) {
    const replies = await Promise.all(
      Array.from({ length: 200 }, () => keys.ask(MATCH, {}, "GET", at)),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([
      ...Array<number>(rate).fill(200),
      ...Array<number>(200 - rate).fill(429),
    ]);
  }
});
