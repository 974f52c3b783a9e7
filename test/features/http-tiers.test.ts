/** Tiers: the limits of a key by its tier and its own overrides, and closed shards. */

import { afterAll, describe, expect, test } from "bun:test";
import type { Event } from "../../src/observe/events.ts";
import { serve } from "../../src/wiring.ts";
import { type KeyIn, serveWithKeys } from "../support/keys.ts";
import { problemIn } from "../support/problems.ts";
import { aMatch } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const world = await startWorld(
  [
    aMatch({ id: "match-na" }),
    aMatch({ id: "match-beta", shard: "beta" }),
    aMatch({ id: "match-cup", shard: "cup" }),
  ],
  { "closed-shards": "beta,cup" },
  undefined,
  `
  [tiers.small]
  rate = 10
  [tiers.large]
  rate = 1000
  burst = 50
  shards = ["*", "beta"]
  [tiers.only-cup]
  shards = ["cup"]
  `,
);
afterAll(() => world.stop());

/** Requests every path with a key with these options. */
async function asked(terms: KeyIn, paths: string[]) {
  const server = await serveWithKeys(world, [terms], { rate: 77 });
  try {
    const replies = [];
    for (const path of paths) {
      replies.push(
        await world.get(`${server.url}${path}`, { Authorization: `Bearer ${server.keys[0]}` }),
      );
    }
    return replies;
  } finally {
    await server.stop();
  }
}

const NA = "/shards/na/matches/match-na";
const BETA = "/shards/beta/matches/match-beta";
const CUP = "/shards/cup/matches/match-cup";

describe("the quota", () => {
  test.each([
    ["of a tier", { tier: "large" }, "50", '"default";q=50;w=3'],
    ["of the first tier, when the key names none", {}, "10", '"default";q=10;w=60'],
    ["of the first tier, when the key's is gone", { tier: "gone" }, "10", '"default";q=10;w=60'],
    ["of the settings, when the tier sets none", { tier: "only-cup" }, "77", '"default";q=77;w=60'],
    ["of the key itself", { tier: "large", rate: 5, burst: 2 }, "2", '"default";q=2;w=24'],
  ] as const)("is that %s", async (_, terms, limit, policy) => {
    const path = "tier" in terms && terms.tier === "only-cup" ? CUP : NA;
    const [reply] = await asked(terms, [path]);
    expect(reply!.status).toBe(200);
    expect(reply!.headers.get("x-ratelimit-limit")).toBe(limit);
    expect(reply!.headers.get("ratelimit-policy")).toBe(policy);
  });
});

describe("a closed shard", () => {
  test.each([
    ["keys of most tiers", {}, [200, 403, 403]],
    ["keys of a tier that lists it with the open shards", { tier: "large" }, [200, 200, 403]],
    ["keys of a tier for this shard alone", { tier: "only-cup" }, [403, 403, 200]],
    ["a key that lists it itself", { shards: ["beta", "*"] }, [200, 200, 403]],
  ] as const)("allows or refuses %s", async (_, terms, statuses) => {
    const replies = await asked({ ...terms } as KeyIn, [NA, BETA, CUP]);
    expect(replies.map(({ status }) => status)).toEqual([...statuses]);
  });

  test("has its own error code, and the request is charged", async () => {
    const [reply] = await asked({}, [BETA]);
    expect(problemIn(reply!)).toMatchObject({ code: "shard-closed", status: "403" });
    expect(reply!.headers.get("x-ratelimit-remaining")).toBe("9");
  });

  test("is closed at every URL of the shard, whether or not the record exists", async () => {
    const replies = await asked({}, [
      "/shards/beta/matches",
      "/shards/beta/matches/nobody",
      "/shards/beta/players",
      "/shards/beta/players/nobody",
      "/shards/beta/matches?nonsense=1",
    ]);
    expect(replies.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  });

  test("that does not exist is logged at the start: its name may be mistyped", async () => {
    const events: Event[] = [];
    const settings = { ...world.settings, "closed-shards": ["beta", "cpu"] };
    const server = await serve(settings, (event) => void events.push(event));
    await server.stop("test");
    expect(events.filter(({ event }) => event === "closed-shard-missing")).toEqual([
      { event: "closed-shard-missing", shard: "cpu" },
    ]);
  });

  test("that does not exist is unknown like any other", async () => {
    const [reply] = await asked({ shards: ["na"] }, ["/shards/gone/matches"]);
    expect(problemIn(reply!).code).toBe("unknown-shard");
  });
});
