/** Tests what the compatibility profile accepts in requests, and what it does not. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { makeKey } from "../../src/access/key.ts";
import { serveWithKeys } from "../support/keys.ts";
import { anonymous, problemIn, problemsIn } from "../support/problems.ts";
import { aMatch, duel, minutesAgo } from "../support/records.ts";
import { exchange } from "../support/wire.ts";
import { JSON_API, type Reply, startWorld, type World } from "../support/world.ts";

const MATCH = "/shards/na/matches/match-1";
const PLAYER = "/shards/na/players/player-a";
const ENDPOINTS = ["/shards/na/matches", MATCH, "/shards/na/players", PLAYER];

let world: World;
let strict: Awaited<ReturnType<typeof serveWithKeys>>;
beforeAll(async () => {
  const documents = Array.from({ length: 7 }, (_, at) =>
    aMatch({
      id: `match-${at + 1}`,
      createdAt: minutesAgo(60 - at),
      rosters: duel({ id: "player-a", name: "Ada" }, { id: "player-b", name: "Grace" }),
    }),
  );
  world = await startWorld(documents, { compat: "gamelocker" });
  strict = await serveWithKeys(world, [{ revoked: true }], { compat: "off" });
});
afterAll(async () => {
  await strict.stop();
  await world.stop();
});

type Headers = Record<string, string | null>;

/** The response of a server without the profile, over the same data. */
const strictly = (path: string, headers: Headers = {}): Promise<Reply> =>
  world.get(`${strict.url}${path}`, headers);

const queryOf = (link: string): string[] => [...new URL(link).searchParams.keys()];

describe("an empty parameter counts as absent:", () => {
  const EVERY = "page[limit]=&page[offset]=&page[after]=&page[before]=&sort=";
  test.each([
    "/shards/na/matches?filter[playerNames]=&filter[teamNames]=",
    "/shards/na/matches?filter[playerNames]&filter[teamNames]",
    "/shards/na/matches?filter%5BplayerIds%5D=&filter%5BgameMode%5D=&filter%5BpatchVersion%5D=",
    "/shards/na/matches?filter[createdAt-start]=&filter[createdAt-end]=",
    `/shards/na/matches?${EVERY}&fields[match]=`,
    "/shards/na/players?filter[playerNames]=&filter[playerIds]=",
  ])("%s", async (path) => {
    const bare = await world.get(path.slice(0, path.indexOf("?")));
    const response = await world.get(path);
    expect(response.status).toBe(200);
    expect(response.body.data).toEqual(bare.body.data);
    expect(response.body.included).toEqual(bare.body.included);
    expect(queryOf(response.body.links.self)).toEqual([]);
    const refused = await strictly(path);
    expect(problemsIn(refused).map(({ code }) => code)).toContain("empty-parameter");
  });

  test("next to one with a value it does not count as repeated", async () => {
    const response = await world.get(
      "/shards/na/players?filter[playerNames]=&filter[playerNames]=Ada&filter[playerIds]=",
    );
    expect(response.body.data).toMatchObject([{ id: "player-a" }]);
  });

  test("so does an empty fields[TYPE], which otherwise means no fields", async () => {
    const path = `${MATCH}?fields[match]=`;
    expect((await world.get(path)).body.data).toEqual((await world.get(MATCH)).body.data);
    expect((await strictly(path)).body.data).toEqual({ type: "match", id: expect.any(String) });
  });

  test("but an empty include still means no related resources", async () => {
    const { body } = await world.get("/shards/na/matches?include=");
    expect(body.data).toHaveLength(5);
    expect(body.included).toEqual([]);
  });
});

describe("a page[limit] above the maximum is taken as the maximum:", () => {
  test.each(["50", "6", "000000099", "99999999999999999999"])("%s", async (limit) => {
    const path = `/shards/na/matches?page[limit]=${limit}`;
    const { status, body } = await world.get(path);
    expect(status).toBe(200);
    expect(body.data).toHaveLength(5);
    expect(new URL(body.links.self).searchParams.get("page[limit]")).toBe("5");
    expect(new URL(body.links.next).searchParams.get("page[limit]")).toBe("5");
    expect(problemIn(await strictly(path))).toMatchObject({
      code: "invalid-parameter",
      source: { parameter: "page[limit]" },
    });
  });

  test("players have their own maximum", async () => {
    const { body } = await world.get("/shards/na/players?page[limit]=50");
    expect(body.data).toEqual((await world.get("/shards/na/players")).body.data);
    expect(new URL(body.links.self).searchParams.get("page[limit]")).toBe("6");
  });

  test("paging with such a limit returns every match once", async () => {
    const first = await world.get("/shards/na/matches?page[limit]=50");
    const second = await world.get(first.body.links.next);
    const ids = [...first.body.data, ...second.body.data].map(({ id }) => id);
    expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7].map((at) => `match-${at}`));
    expect(second.body.links).not.toHaveProperty("next");
  });
});

describe("a parameter that the endpoint does not take is ignored, and links do not repeat it:", () => {
  const COLLECTION = "page[offset]=1&sort=-createdAt&filter[gameMode]=ranked";
  test.each([
    "/shards/na/matches?callback=x&filter[playerName]=Grace&filter[winner]=true",
    "/shards/na/matches?fields[nothing]=a&utm_source=b&x",
    "/shards/na/matches?junk=%zz&more=%ff",
    `/shards/na/players?${COLLECTION}&filter[teamNames]=ABC`,
    `${MATCH}?${COLLECTION}&page[limit]=50&filter[playerNames]=Nobody`,
    `${PLAYER}?${COLLECTION}&page[limit]=50&filter[createdAt-start]=never`,
  ])("%s", async (path) => {
    const bare = await world.get(path.slice(0, path.indexOf("?")));
    const response = await world.get(path);
    expect(response.status).toBe(200);
    expect(response.body.data).toEqual(bare.body.data);
    expect(queryOf(response.body.links.self)).toEqual([]);
    expect((await strictly(path)).status).toBe(400);
  });

  test.each(["/status?callback=x", "/openapi.json?page[limit]=5&x", "/usage?utm_source=b"])(
    "%s",
    async (path) => {
      expect((await world.get(path)).status).toBe(200);
      expect((await strictly(path)).status).toBe(400);
    },
  );

  test("other parameters still apply, in data and in links", async () => {
    const { body } = await world.get(
      "/shards/na/matches?junk=1&filter[playerNames]=Ada&sort=-createdAt&filter[teamNames]=",
    );
    expect(body.data[0].id).toBe("match-7");
    expect(queryOf(body.links.self)).toEqual(["filter[playerNames]", "sort"]);
    for (const link of [body.links.first, body.links.next]) {
      expect(queryOf(link)).not.toContain("junk");
      expect(queryOf(link)).not.toContain("filter[teamNames]");
      expect(queryOf(link)).toContain("filter[playerNames]");
    }
  });

  test("a hundred of them do not exceed the parameter limit", async () => {
    const junk = Array.from({ length: 150 }, (_, at) => `junk${at}=1`).join("&");
    expect((await world.get(`/shards/na/matches?${junk}&page[limit]=1`)).status).toBe(200);
  });
});

describe("other errors are still refused, and only they are reported:", () => {
  test.each([
    ["page[limit]=abc", "invalid-parameter", "page[limit]"],
    ["page[limit]=0", "invalid-parameter", "page[limit]"],
    ["page[limit]=%zz", "malformed-query", "page[limit]"],
    ["page[offset]=10001", "offset-too-deep", "page[offset]"],
    ["page[after]=nonsense", "invalid-cursor", "page[after]"],
    ["sort=duration", "invalid-parameter", "sort"],
    ["filter[createdAt-start]=yesterday", "invalid-parameter", "filter[createdAt-start]"],
    ["filter[createdAt-start]=2999-01-01T00:00:00Z", "invalid-window", "filter[createdAt-start]"],
    ["filter[gameMode]=rankd", "invalid-parameter", "filter[gameMode]"],
    ["filter[playerNames]=Ada,,Grace", "invalid-parameter", "filter[playerNames]"],
    [
      "filter[playerNames]=Ada&filter[playerNames]=Grace",
      "repeated-parameter",
      "filter[playerNames]",
    ],
    ["include=nothing", "unknown-include-path", "include"],
  ])("%s", async (query, code, parameter) => {
    const response = await world.get(`/shards/na/matches?junk=%zz&filter[teamNames]=&${query}`);
    expect(response.status).toBe(400);
    expect(problemIn(response)).toMatchObject({ code, source: { parameter } });
  });
});

describe("an Accept header that takes JSON in general is served, as application/vnd.api+json:", () => {
  test.each([
    "application/json",
    "*/*",
    "application/*",
    "Application/JSON; charset=utf-8",
    "text/html, application/json;q=0.9, */*;q=0.1",
    "application/json;q=0, */*",
  ])("%s", async (accept) => {
    for (const path of ENDPOINTS) {
      const response = await world.get(path, { Accept: accept });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe(JSON_API);
      expect((await strictly(path, { Accept: accept })).status).toBe(406);
    }
  });

  test("so is a request without one", async () => {
    const lines = [`GET ${MATCH} HTTP/1.1`, "Host: here", `Authorization: Bearer ${world.key}`];
    const response = await exchange(world.url, lines);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(JSON_API);
    expect((await exchange(strict.url, lines)).status).toBe(406);
  });

  test.each([
    "text/html",
    "application/xml",
    "application/json;q=0",
    "*/*;q=0.0",
    "application/vnd.api+json;q=0, */*",
  ])("%s does not accept JSON, and is refused", async (accept) => {
    const response = await world.get(MATCH, { Accept: accept });
    expect(response.status).toBe(406);
    expect(problemIn(response)).toMatchObject({ code: "not-acceptable" });
  });
});

describe("a key", () => {
  test.each(ENDPOINTS)("without the word Bearer is accepted on %s", async (path) => {
    expect((await world.get(path, { Authorization: world.key })).status).toBe(200);
    expect((await strictly(path, { Authorization: world.key })).status).toBe(401);
  });

  test("has one limit, with or without Bearer", async () => {
    await using server = await serveWithKeys(world, [{ rate: 1 }]);
    const key = server.keys[0]!;
    const request = (authorization: string) =>
      world.get(`${server.url}${MATCH}`, { Authorization: authorization });
    expect((await request(`Bearer ${key}`)).status).toBe(200);
    expect((await request(key)).status).toBe(429);
  });

  test.each([
    ["that is unknown", () => makeKey()],
    ["that is revoked", () => strict.keys[0]!],
    ["that is malformed", () => "nonsense"],
    ["that is missing", () => ""],
    ["replaced by the word Bearer", () => "Bearer"],
    ["with something after it", () => `${world.key} ${world.key}`],
    ["twice", () => `${world.key},${world.key}`],
    ["of another scheme", () => `Basic ${world.key}`],
    ["of unreasonable length", () => world.key.repeat(50)],
  ])("%s gets the same 401 as none at all", async (_, authorization) => {
    const none = await world.get(MATCH, { Authorization: null });
    const wrong = await world.get(MATCH, { Authorization: authorization() });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get("www-authenticate")).toBe("Bearer");
    expect(anonymous(wrong)).toEqual(anonymous(none));
    expect(anonymous(wrong)).toEqual(anonymous(await strictly(MATCH, { Authorization: null })));
  });
});
