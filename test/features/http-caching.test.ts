/** Tests entity tags and conditional requests. */

import { afterAll, describe, expect, test } from "bun:test";
import { hasEndpoint } from "../support/endpoints.ts";
import { TestClock } from "../support/keys.ts";
import { aMatch, duel, minutesAgo } from "../support/records.ts";
import { JSON_API, startWorld } from "../support/world.ts";

const clock = new TestClock();
const world = await startWorld(
  ["a", "b"].map((name) =>
    aMatch({
      id: `match-${name}`,
      createdAt: minutesAgo(9),
      rosters: duel({ id: `player-${name}`, name: "Ada" }, { id: `other-${name}` }),
    }),
  ),
  {},
  clock,
);
afterAll(() => world.stop());

const MATCH = "/shards/na/matches/match-a";
const SINGLES = [MATCH, "/shards/na/players/player-a"];
const LISTS = [
  "/shards/na/matches",
  "/shards/na/players",
  "/shards/na/players/player-a/played-with",
  "/shards/na/player-names?filter[near]=Adda",
  "/shards/na/leaderboards/ranked-wins",
].filter(hasEndpoint);
const ENDPOINTS = [...SINGLES, ...LISTS];
const ENCODINGS = ["identity", "gzip"];

async function tag(path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await world.get(path, headers);
  expect(response.status).toBe(200);
  return response.headers.get("etag")!;
}

/** The bytes as sent. */
async function bytes(path: string, headers: Record<string, string>) {
  const response = await fetch(`${world.url}${path}`, {
    headers: { Authorization: `Bearer ${world.key}`, Accept: JSON_API, ...headers },
    decompress: false,
  });
  return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

describe.each(ENDPOINTS)("%s", (path) => {
  const statusFor = async (known: string, headers = {}, method?: string) =>
    (await world.get(path, { "If-None-Match": known, ...headers }, method)).status;

  test("is 304 without a body if the client has it: compared weakly, in a list, with *, and for HEAD", async () => {
    const first = await world.get(path);
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    const etag = first.headers.get("etag")!;
    const response = await world.get(path, { "If-None-Match": etag });
    expect([response.status, response.text]).toEqual([304, ""]);
    for (const name of ["etag", "cache-control", "vary"]) {
      expect(response.headers.get(name)).toBe(first.headers.get(name)!);
    }
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(response.headers.get("x-request-id")).not.toBeNull();
    expect(response.headers.get("ratelimit")).not.toBeNull();
    const bare = etag.replace(/^W\//, "");
    for (const known of [bare, `W/${bare}`, `"x", ${etag}`, `W/"y" ,${etag},"z"`, "*"]) {
      expect(await statusFor(known)).toBe(304);
    }
    expect(await statusFor(etag, {}, "HEAD")).toBe(304);
    for (const known of ['"x"', 'W/"x"', etag.replace(/"$/, 'x"'), "nonsense"]) {
      expect(await statusFor(known)).toBe(200);
    }
  });

  test("is 304 if the client has it in another encoding", async () => {
    for (const [at, had] of ENCODINGS.entries()) {
      const etag = await tag(path, { "Accept-Encoding": had });
      const asked = { "Accept-Encoding": ENCODINGS[(at + 1) % ENCODINGS.length] };
      expect(await statusFor(etag, asked)).toBe(304);
    }
  });
});

test.each(SINGLES)(
  "%s has a strong tag for bytes, which is weak for what is compressed",
  async (path) => {
    const bare = await tag(path, { "Accept-Encoding": "identity" });
    expect(bare).toMatch(/^"[^"]+"$/);
    expect(await tag(path, { "Accept-Encoding": "gzip" })).toBe(`W/${bare}`);
    const [one, other] = await Promise.all(
      [1, 2].map(() => bytes(path, { "Accept-Encoding": "identity" })),
    );
    expect(one!.bytes.equals(other!.bytes)).toBe(true);
    // Its links differ.
    expect(await tag(`${path}?include=`)).not.toBe(await tag(path));
  },
);

test.each(LISTS)(
  "%s has a weak tag, the same for each encoding, however the time passes",
  async (path) => {
    const tags = new Set<string>();
    for (const encoding of ENCODINGS) {
      tags.add(await tag(path, { "Accept-Encoding": encoding }));
      clock.advance(1000);
    }
    expect([...tags]).toEqual([expect.stringMatching(/^W\/"[^"]+"$/)]);
  },
);

test.each([
  [MATCH, "match", "duration"],
  ["/shards/na/players/player-a", "player", "name"],
  ["/shards/na/matches", "match", "duration"],
  ["/shards/na/players", "player", "name"],
])("%s has a different tag for different fields", async (path, type, field) => {
  expect(await tag(`${path}?fields[${type}]=${field}`)).not.toBe(await tag(path));
});
