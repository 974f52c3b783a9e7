/** Tests URLs: the routes, and the origin of links. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { aMatch, duel } from "../support/records.ts";
import { exchange } from "../support/wire.ts";
import { JSON_API, startWorld, type World } from "../support/world.ts";

const documents = () => [
  aMatch({ id: "match-a", rosters: duel({ id: "player-a" }, { id: "player-b" }) }),
];

/** All links that the four endpoints return for requests with these headers. */
async function links(world: World, headers: Record<string, string> = {}): Promise<string[]> {
  const paths = ["matches?page[limit]=1", "matches/match-a", "players", "players/player-a"];
  const responses = await Promise.all(
    paths.map((path) => world.get(`/shards/na/${path}`, headers)),
  );
  return responses.flatMap(({ body }) => Object.values<string>(body.links));
}

/** The distinct origins of the links. */
async function origins(world: World, headers: Record<string, string> = {}): Promise<string[]> {
  return [...new Set((await links(world, headers)).map((link) => link.split("/shards/")[0]!))];
}

const FORWARDED = { "X-Forwarded-Host": "api.example.com", "X-Forwarded-Proto": "https" };

describe("without settings", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(documents());
  });
  afterAll(() => world.stop());

  const head = (host: string | undefined) => [
    "GET /shards/na/matches/match-a HTTP/1.1",
    ...(host === undefined ? [] : [`Host: ${host}`]),
    `Authorization: Bearer ${world.key}`,
    `Accept: ${JSON_API}`,
  ];

  test("links use the host of the request", async () => {
    expect(await origins(world)).toEqual([world.url]);
    for (const host of ["matches.example:8443", "matches.example", "[::1]:8080"]) {
      const response = await exchange(world.url, head(host));
      expect(JSON.parse(response.body).links.self).toBe(`http://${host}/shards/na/matches/match-a`);
    }
  });

  test("links use the server's own address when there is no Host header", async () => {
    const [, ...rest] = head(undefined);
    const response = await exchange(world.url, [
      "GET /shards/na/matches/match-a HTTP/1.0",
      ...rest,
    ]);
    expect(response.status).toBe(200);
    expect(JSON.parse(response.body).links.self).toBe(`${world.url}/shards/na/matches/match-a`);
  });

  test("an absolute target is served like its path, and links use the Host header", async () => {
    for (const [target, host] of [
      ["matches.example:8443", "matches.example:8443"],
      ["other.example", "matches.example"],
    ]) {
      const [, ...rest] = head(host);
      const response = await exchange(world.url, [
        `GET http://${target}/shards/na/matches/match-a HTTP/1.1`,
        ...rest,
      ]);
      expect(response.status).toBe(200);
      expect(JSON.parse(response.body).links.self).toBe(`http://${host}/shards/na/matches/match-a`);
    }
  });

  test("an invalid host never appears in a link", async () => {
    for (const host of ['evil"><script>', "user@evil.example", "a b", "evil.example/path?x=#y"]) {
      const response = await exchange(world.url, head(host));
      expect([200, 400]).toContain(response.status);
      if (response.status === 200) {
        expect(JSON.parse(response.body).links.self).toBe(`${world.url}/shards/na/matches/match-a`);
      }
    }
  });

  test("forwarding headers are ignored", async () => {
    expect(await origins(world, FORWARDED)).toEqual([world.url]);
  });

  test.each([
    ["matches", "/shards/na/matches"],
    ["one match", "/shards/na/matches/match-a"],
    ["players", "/shards/na/players"],
    ["one player", "/shards/na/players/player-a"],
    ["the status", "/status"],
  ])("a trailing slash and a bare ? change nothing: %s", async (_, path) => {
    const request = async (target: string) => {
      const [, ...rest] = head("here");
      const response = await exchange(world.url, [`GET ${target} HTTP/1.1`, ...rest]);
      expect(response.status).toBe(200);
      const { data, included, links: found } = JSON.parse(response.body);
      return { data, included, self: found?.self };
    };
    const plain = await request(path);
    for (const ending of ["/", "?", "/?"]) expect(await request(path + ending)).toEqual(plain);
  });

  test("a trailing slash is allowed before a query", async () => {
    const response = await world.get("/shards/na/matches/?page[limit]=1");
    expect(response.status).toBe(200);
    expect(response.body.links.self).toBe(`${world.url}/shards/na/matches?page%5Blimit%5D=1`);
  });

  test("percent-encoded letters in a path are decoded", async () => {
    const response = await world.get("/shards/%6Ea/matches/match%2Da");
    expect(response.status).toBe(200);
    expect(response.body.data.id).toBe("match-a");
  });

  test.each([
    "/nowhere",
    "/shards",
    "/shards/na",
    "/shards//matches",
    "/shards/na/matches//",
    "/shards/na/matches/match-a/rosters",
    "/shards/na/rosters",
    "/shards/na/participants/match-a-r0p0",
    "/Shards/na/matches",
    "/shards/na/Matches",
    "//shards/na/matches",
    "/v1/shards/na/matches",
    "/events",
    "/shards/na/events",
    "/shards/na/matches/match-a/events",
  ])("nothing is served at %s", async (path) => {
    const [, ...rest] = head("here");
    const response = await exchange(world.url, [`GET ${path} HTTP/1.1`, ...rest]);
    expect(response.status).toBe(404);
    const { errors } = JSON.parse(response.body);
    expect(errors).toMatchObject([{ code: "unknown-route" }]);
    expect(errors[0].detail).toContain("/shards/{shard}/matches/{id}");
  });
});

describe("with a public URL", () => {
  test("links use it, whatever headers the client and proxies send", async () => {
    await using world = await startWorld(documents(), {
      "public-url": "https://api.example.com/game/",
      "trusted-proxies": "127.0.0.1",
    });
    const expected = ["https://api.example.com/game"];
    expect(await origins(world)).toEqual(expected);
    expect(await origins(world, { "X-Forwarded-Host": "other.example" })).toEqual(expected);
  });
});

describe("with trusted proxies", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(documents(), { "trusted-proxies": "10.1.0.0/16,127.0.0.0/8" });
  });
  afterAll(() => world.stop());

  test("links use the host and scheme that the proxy forwards", async () => {
    expect(await origins(world, FORWARDED)).toEqual(["https://api.example.com"]);
  });

  test("a forwarded scheme alone, or host alone, replaces only that", async () => {
    const { host } = new URL(world.url);
    expect(await origins(world, { "X-Forwarded-Proto": "https" })).toEqual([`https://${host}`]);
    expect(await origins(world, { "X-Forwarded-Host": "api.example.com:81" })).toEqual([
      "http://api.example.com:81",
    ]);
  });

  test("of several forwarded hosts the first one is used: the client's", async () => {
    const headers = {
      "X-Forwarded-Host": "api.example.com, inner.example",
      "X-Forwarded-Proto": "HTTPS, http",
    };
    expect(await origins(world, headers)).toEqual(["https://api.example.com"]);
  });

  test("an invalid forwarded host or scheme never appears in a link", async () => {
    const headers = { "X-Forwarded-Host": 'a"/../b', "X-Forwarded-Proto": "javascript" };
    expect(await origins(world, headers)).toEqual([world.url]);
  });
});

test("forwarding headers from an untrusted proxy are ignored", async () => {
  await using world = await startWorld(documents(), { "trusted-proxies": "10.1.0.0/16,::1" });
  expect(await origins(world, FORWARDED)).toEqual([world.url]);
});
