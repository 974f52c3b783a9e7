/** Tests rate limits: their headers, and 429 responses. */

import { afterAll, expect, test } from "bun:test";
import type { Settings } from "../../src/settings/definitions.ts";
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
  rates: (number | undefined)[],
  work: (
    request: (
      key: number,
      path?: string,
      headers?: Record<string, string | null>,
      method?: string,
    ) => Promise<Reply>,
  ) => Promise<void>,
  settings: Pick<Partial<Settings>, "rate" | "tiers"> = {},
): Promise<void> {
  const wanted = rates.map((rate) => (rate === undefined ? {} : { rate }));
  await using server = await serveWithKeys(world, wanted, settings, new TestClock());
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

test("a key's own rate takes precedence over the setting", async () => {
  await withKeys(
    [2],
    async (request) => {
      expect(limits(await request(0))).toEqual({
        "ratelimit-policy": '"default";q=2;w=60',
        ratelimit: '"default";r=1;t=30',
        "x-ratelimit-limit": "2",
        "x-ratelimit-remaining": "1",
        "x-ratelimit-reset": "30",
      });
    },
    { rate: 60 },
  );
});

test("the burst of a tier is the capacity of its keys, refilled at the rate", async () => {
  await withKeys(
    [undefined],
    async (request) => {
      expect(limits(await request(0))).toEqual({
        "ratelimit-policy": '"default";q=3;w=180',
        ratelimit: '"default";r=2;t=60',
        "x-ratelimit-limit": "3",
        "x-ratelimit-remaining": "2",
        "x-ratelimit-reset": "60",
      });
    },
    { tiers: [{ name: "hobby", rate: 1, burst: 3 }] },
  );
});

test("a key over its rate limit gets 429 with the time to wait", async () => {
  await withKeys([1], async (request) => {
    expect((await request(0)).status).toBe(200);
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
    await request(0);
    await request(0);
    const response = await request(0);
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("30");
    expect(response.headers.get("x-ratelimit-reset")).toBe("60");
  });
});

test("Retry-After is only sent with 429", async () => {
  await withKeys([1], async (request) => {
    expect((await request(0)).headers.get("retry-after")).toBeNull();
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
    expect((await request(0)).status).toBe(200);
  });
});

test("responses to requests without a key have no limit headers", async () => {
  await withKeys([1], async (request) => {
    expect(limits(await request(0, undefined, { Authorization: null }))).toEqual(NONE);
  });
});

test("a refused request is not charged: the wait does not grow", async () => {
  await withKeys([1], async (request) => {
    await request(0);
    const waits: (string | null)[] = [];
    for (let count = 0; count < 5; count++) {
      waits.push((await request(0)).headers.get("retry-after"));
    }
    expect(waits).toEqual(["60", "60", "60", "60", "60"]);
  });
});
