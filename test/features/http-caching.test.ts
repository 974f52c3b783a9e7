/** Tests entity tags, conditional requests and gzip. */

import { afterAll, describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { aMatch, duel, minutesAgo } from "../support/records.ts";
import { JSON_API, startWorld } from "../support/world.ts";

const world = await startWorld([
  aMatch({
    id: "match-a",
    createdAt: minutesAgo(9),
    rosters: duel({ id: "player-a", name: "Ada" }, { id: "player-b" }),
  }),
  aMatch({
    id: "match-b",
    createdAt: minutesAgo(8),
    rosters: duel({ id: "player-c" }, { id: "player-d" }),
  }),
]);
afterAll(() => world.stop());

const SINGLES = ["/shards/na/matches/match-a", "/shards/na/players/player-a"];
const LISTS = [
  "/shards/na/matches",
  "/shards/na/players",
  "/shards/na/players/player-a/played-with",
  "/shards/na/player-names?filter[near]=Adda",
  "/shards/na/leaderboards/ranked-wins",
];
const ENDPOINTS = [...SINGLES, ...LISTS];

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
  test("may be cached only by the client, and must be revalidated", async () => {
    expect((await world.get(path)).headers.get("cache-control")).toBe("private, no-cache");
  });

  test("has the same ETag as long as nothing changes", async () => {
    expect(await tag(path)).toBe(await tag(path));
  });

  test("is 304 without a body if the client has it", async () => {
    const first = await world.get(path);
    const etag = first.headers.get("etag")!;
    const response = await world.get(path, { "If-None-Match": etag });
    expect(response.status).toBe(304);
    expect(response.text).toBe("");
    for (const name of ["etag", "cache-control", "vary"]) {
      expect(response.headers.get(name)).toBe(first.headers.get(name)!);
    }
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(response.headers.get("x-request-id")).not.toBeNull();
    expect(response.headers.get("ratelimit")).not.toBeNull();
  });

  test("is 304 for HEAD as well", async () => {
    const response = await world.get(path, { "If-None-Match": await tag(path) }, "HEAD");
    expect(response.status).toBe(304);
  });

  test("is 304 if the client has it in another encoding", async () => {
    for (const [had, asked] of [
      ["gzip", "identity"],
      ["identity", "zstd"],
      ["zstd", "gzip"],
    ] as const) {
      const etag = await tag(path, { "Accept-Encoding": had });
      const headers = { "If-None-Match": etag, "Accept-Encoding": asked };
      expect((await world.get(path, headers)).status).toBe(304);
    }
  });

  test("is compared weakly, in a list, and with *", async () => {
    const etag = await tag(path);
    const bare = etag.replace(/^W\//, "");
    for (const known of [bare, `W/${bare}`, `"x", ${etag}`, `W/"y" ,${etag},"z"`, "*"]) {
      expect((await world.get(path, { "If-None-Match": known })).status).toBe(304);
    }
  });

  test("is sent in full when the ETag does not match", async () => {
    for (const known of ['"x"', 'W/"x"', (await tag(path)).replace(/"$/, 'x"'), "nonsense"]) {
      expect((await world.get(path, { "If-None-Match": known })).status).toBe(200);
    }
  });

  test("has the same ETag for HEAD as for GET", async () => {
    const head = await world.get(path, {}, "HEAD");
    expect(head.headers.get("etag")).toBe(await tag(path));
  });
});

test.each([
  ["/shards/na/matches/match-a", "match", "duration"],
  ["/shards/na/players/player-a", "player", "name"],
  ["/shards/na/matches", "match", "duration"],
  ["/shards/na/players", "player", "name"],
])("%s has a different ETag for different fields", async (path, type, field) => {
  expect(await tag(`${path}?fields[${type}]=${field}`)).not.toBe(await tag(path));
});

describe.each(SINGLES)("%s", (path) => {
  test("has a strong ETag if it is not compressed, and otherwise the same one as a weak ETag", async () => {
    const bare = await tag(path, { "Accept-Encoding": "identity" });
    expect(bare).toMatch(/^"[^"]+"$/);
    for (const encoding of ["gzip", "zstd"]) {
      expect(await tag(path, { "Accept-Encoding": encoding })).toBe(`W/${bare}`);
    }
  });

  test("has the same bytes under the same strong ETag", async () => {
    const [one, other] = await Promise.all(
      [1, 2].map(() => bytes(path, { "Accept-Encoding": "identity" })),
    );
    expect(one!.headers.get("etag")).toBe(other!.headers.get("etag"));
    expect(one!.bytes.equals(other!.bytes)).toBe(true);
  });

  test("has a different ETag when its links differ", async () => {
    expect(await tag(`${path}?include=`)).not.toBe(await tag(path));
  });
});

describe.each(LISTS)("%s", (path) => {
  test("has a weak ETag, the same for each encoding", async () => {
    const tags = await Promise.all(
      ["gzip", "zstd", "identity"].map((encoding) => tag(path, { "Accept-Encoding": encoding })),
    );
    expect(tags[0]).toMatch(/^W\/"[^"]+"$/);
    expect(new Set(tags).size).toBe(1);
  });
});

test("the ETag of the matches does not depend on the time of the request", async () => {
  const first = await world.get("/shards/na/matches");
  let later = first;
  while (later.body.meta.window.end === first.body.meta.window.end) {
    later = await world.get("/shards/na/matches");
  }
  expect(later.headers.get("etag")).toBe(first.headers.get("etag"));
});

describe("gzip", () => {
  const REPLIES = [
    ["a single match", "/shards/na/matches/match-a", {}],
    ["a single player", "/shards/na/players/player-a", {}],
    ["the matches", "/shards/na/matches", {}],
    ["the players", "/shards/na/players", {}],
    ["an empty collection", "/shards/na/matches?filter[playerIds]=nobody", {}],
    ["chosen fields", "/shards/na/matches?fields[match]=duration&include=rosters", {}],
    ["a refusal", "/shards/na/matches?nonsense=1", {}],
    ["a refusal without a key", "/shards/na/matches", { Authorization: "" }],
    ["the status", "/status", {}],
  ] as const;

  test.each(REPLIES)(
    "is sent if the client accepts it, as one complete gzip member: %s",
    async (_, path, headers) => {
      const sent = await bytes(path, { "Accept-Encoding": "gzip", ...headers });
      expect(sent.headers.get("content-encoding")).toBe("gzip");
      expect(Number(sent.headers.get("content-length"))).toBe(sent.bytes.length);
      expect(() => JSON.parse(gunzipSync(sent.bytes).toString())).not.toThrow();
      const checked = Bun.spawnSync(["gzip", "-t"], { stdin: sent.bytes });
      expect(checked.exitCode).toBe(0);
    },
  );

  test.each(REPLIES)("is not sent unless the client accepts it: %s", async (_, path, headers) => {
    const sent = await bytes(path, { "Accept-Encoding": "identity", ...headers });
    expect(sent.headers.get("content-encoding")).toBeNull();
    expect(() => JSON.parse(sent.bytes.toString())).not.toThrow();
  });
});

test("every response has a Vary header", async () => {
  for (const [path, headers] of [
    ...ENDPOINTS.map((path) => [path, {}] as const),
    ["/shards/na/matches/nobody", {}],
    ["/shards/na/matches", { Authorization: null }],
    ["/shards/na/matches", { Accept: "*/*" }],
    ["/shards/na/matches?nonsense=1", {}],
    ["/status", {}],
  ] as const) {
    const response = await world.get(path, headers);
    expect(response.headers.get("vary")).toBe("Accept, Accept-Encoding, Authorization, Origin");
  }
});

test("errors are not cacheable and have no ETag", async () => {
  for (const path of ["/shards/na/matches/nobody", "/shards/na/matches?nonsense=1", "/nowhere"]) {
    const response = await world.get(path, { "If-None-Match": "*" });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("etag")).toBeNull();
  }
});
