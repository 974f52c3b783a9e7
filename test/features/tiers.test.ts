/** Tiers: the limits of a key by its tier and its own overrides, and closed shards. */

import { afterAll, describe, expect, test } from "bun:test";
import { ROUTES } from "../../src/http/routes.ts";
import type { Event } from "../../src/observe/events.ts";
import { openAccess } from "../../src/open-access.ts";
import { serve } from "../../src/wiring.ts";
import { type KeyIn, serveWithKeys } from "../support/keys.ts";
import { problemIn } from "../support/problems.ts";
import { aMatch, duel } from "../support/records.ts";
import { JSON_API, startWorld } from "../support/world.ts";

const world = await startWorld(
  [
    aMatch({ id: "match-na" }),
    aMatch({
      id: "match-beta",
      shard: "beta",
      rosters: duel({ id: "player-beta" }, { id: "player-other" }),
    }),
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
  await using server = await serveWithKeys(world, [terms], { rate: 77 });
  const replies = [];
  for (const path of paths) replies.push(await server.ask(path));
  return replies;
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

test("a tier that is gone is logged once, however many keys have it", async () => {
  const access = openAccess(world.settings);
  for (const name of ["one", "two"]) await access.keys.create({ name, tier: "gold" }, Date.now());
  await access.close();
  const events: Event[] = [];
  const server = await serve(world.settings, (event) => void events.push(event));
  await server.stop("test");
  const unknown = events.filter((one) => one.event === "unknown-tier" && one.tier === "gold");
  expect(unknown).toEqual([{ event: "unknown-tier", tier: "gold", taken: "small" }]);
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

  /** Every URL of a shard: of records that exist and of others, with each board, as documents and as streams. */
  const urlsOf = (shard: string) =>
    ROUTES.filter(({ path }) => path.includes(":shard")).flatMap((route) => {
      if (route.access !== "key") throw new Error(`${route.path} requires no key`);
      const [segment] = Object.values(route.segments ?? {});
      const existing = segment?.values ?? ["match-beta", "player-beta"];
      const paths = [...existing, "nobody"].map((id) =>
        route.path.replace(":shard", shard).replace(/:(id|board)/, id),
      );
      const accepted = "stream" in route ? [JSON_API, "text/event-stream"] : [JSON_API];
      return [...new Set(paths)].flatMap((path) =>
        accepted.map((accept) => ({ path: route.path, url: path, accept })),
      );
    });

  test("is closed at every URL of the shard, whether or not the record exists", async () => {
    const server = await serveWithKeys(world, [{ rate: 1000 }, { rate: 1000, shards: ["beta"] }]);
    const statusOf = async (key: number, url: string, accept: string, method = "GET") => {
      const headers = { Authorization: `Bearer ${server.keys[key]}`, Accept: accept };
      const abort = new AbortController();
      const { signal } = abort;
      const { status } = await fetch(`${server.url}${url}`, { headers, method, signal });
      // A stream that is not refused has no end.
      abort.abort();
      return status;
    };
    const opened = new Set<string>();
    for (const { path, url, accept } of urlsOf("beta")) {
      const query = path.endsWith("/player-names") ? "?filter[near]=player" : "";
      if ((await statusOf(1, url + query, accept)) === 200) opened.add(`${path} ${accept}`);
      const refused = [
        await statusOf(0, url + query, accept),
        await statusOf(0, `${url}?nonsense=1`, accept),
        await statusOf(0, url + query, accept, "HEAD"),
      ];
      expect([url, accept, ...refused]).toEqual([url, accept, 403, 403, 403]);
    }
    await server.stop();
    // With a key that may read the shard there is something at each of them.
    expect([...opened]).toEqual([
      ...new Set(urlsOf("beta").map(({ path, accept }) => `${path} ${accept}`)),
    ]);
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
