/** Tests rate limits: their headers, and 429 responses. */

import { afterAll, expect, test } from "bun:test";
import { serveWithKeys, TestClock } from "../support/keys.ts";
import { problemIn } from "../support/problems.ts";
import { aMatch, duel } from "../support/records.ts";
import { type Reply, startWorld } from "../support/world.ts";

const world = await startWorld([
  aMatch({ id: "match-a", rosters: duel({ id: "player-a" }, { id: "player-b" }) }),
]);
afterAll(() => world.stop());

/** Starts one server with a key of each rate, for one test. Its clock stands still, so that nothing is refilled. */
async function withKeys(
  rates: number[],
  work: (
    request: (
      key: number,
      path?: string,
      headers?: Record<string, string | null>,
      method?: string,
    ) => Promise<Reply>,
  ) => Promise<void>,
): Promise<void> {
  const wanted = rates.map((rate) => ({ rate }));
  await using server = await serveWithKeys(world, wanted, {}, new TestClock());
  await work((key, path = "/shards/na/matches/match-a", headers = {}, method = "GET") =>
    world.get(
      `${server.url}${path}`,
      { Authorization: `Bearer ${server.keys[key]}`, ...headers },
      method,
    ),
  );
}

function limits({ headers }: Reply) {
  const names = [
    "ratelimit-policy",
    "ratelimit",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
  ];
  return Object.fromEntries(names.map((name) => [name, headers.get(name)]));
}

const NONE = {
  "ratelimit-policy": null,
  ratelimit: null,
  "x-ratelimit-limit": null,
  "x-ratelimit-remaining": null,
  "x-ratelimit-reset": null,
};

test("a key over its rate limit gets 429 with the time to wait", async () => {
  await withKeys([1], async (request) => {
    const allowed = await request(0);
    expect([allowed.status, allowed.headers.get("retry-after")]).toEqual([200, null]);
    const response = await request(0);
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("60");
    expect(limits(response)).toEqual({
      "ratelimit-policy": '"default";q=1;w=60',
      ratelimit: '"default";r=0;t=60',
      "x-ratelimit-limit": "1",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": "60",
    });
    expect(problemIn(response).code).toBe("rate-limited");
  });
});

test("Retry-After is for the next token, the reset for a full bucket", async () => {
  await withKeys([2], async (request) => {
    for (let sent = 0; sent < 2; sent++) await request(0);
    // What is refused is not charged: the wait does not grow.
    for (let sent = 0; sent < 3; sent++) {
      const { status, headers } = await request(0);
      expect([status, headers.get("retry-after")]).toEqual([429, "30"]);
      expect(headers.get("x-ratelimit-reset")).toBe("60");
    }
  });
});

test("one key's requests do not count against another's", async () => {
  await withKeys([1, 1], async (request) => {
    expect((await request(0)).status).toBe(200);
    expect((await request(0)).status).toBe(429);
    expect((await request(1)).status).toBe(200);
  });
});

test("every authenticated request costs one token, including HEAD, 304 and refusals", async () => {
  await withKeys([6], async (request) => {
    const first = await request(0);
    const responses = [
      first,
      await request(0, undefined, {}, "HEAD"),
      await request(0, undefined, { "If-None-Match": first.headers.get("etag") }),
      await request(0, "/shards/na/matches/nobody"),
      await request(0, "/shards/na/matches?nonsense=1"),
      await request(0, "/shards/na/matches", { Accept: "*/*" }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 304, 404, 400, 406]);
    expect(responses.map(({ headers }) => headers.get("x-ratelimit-remaining"))).toEqual([
      "5",
      "4",
      "3",
      "2",
      "1",
      "0",
    ]);
    expect((await request(0)).status).toBe(429);
  });
});

test("requests that need no key cost nothing", async () => {
  await withKeys([1], async (request) => {
    for (const [path, method] of [
      ["/status", "GET"],
      ["/healthz", "GET"],
      ["/readyz", "GET"],
      ["/shards/na/matches", "OPTIONS"],
      ["/shards/na/matches", "POST"],
      ["/nowhere", "GET"],
    ] as const) {
      expect(limits(await request(0, path, {}, method))).toEqual(NONE);
    }
    expect(limits(await request(0, undefined, { Authorization: null }))).toEqual(NONE);
    expect((await request(0)).status).toBe(200);
  });
});
