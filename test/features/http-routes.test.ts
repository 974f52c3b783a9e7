/** Tests the origin of links. Which URLs exist is in requests.test.ts. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { aMatch, duel } from "../support/records.ts";
import { exchange } from "../support/wire.ts";
import { JSON_API, startWorld, type World } from "../support/world.ts";

const documents = [
  aMatch({ id: "match-a", rosters: duel({ id: "player-a" }, { id: "player-b" }) }),
];
const PATH = "/shards/na/matches/match-a";

/** The distinct origins of all links that the four endpoints return for requests with these headers. */
async function origins(world: World, headers: Record<string, string> = {}): Promise<string[]> {
  const links: string[] = [];
  for (const path of ["matches?page[limit]=1", "matches/match-a", "players", "players/player-a"]) {
    const { body } = await world.get(`/shards/na/${path}`, headers);
    links.push(...Object.values<string>(body.links));
  }
  return [...new Set(links.map((link) => link.split("/shards/")[0]!))];
}

describe("without settings", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(documents);
  });
  afterAll(() => world.stop());

  /** The link to itself of a response to this first line, with these Host headers. */
  async function selfOf(line: string, ...hosts: string[]): Promise<string | undefined> {
    const { status, body } = await exchange(world.url, [
      ...[line, ...hosts.map((host) => `Host: ${host}`)],
      ...[`Authorization: Bearer ${world.key}`, `Accept: ${JSON_API}`],
    ]);
    expect([200, 400, 404]).toContain(status);
    return status === 200 ? JSON.parse(body).links.self : undefined;
  }

  test("links use the host of the request, or the server's own address", async () => {
    const line = `GET ${PATH} HTTP/1.1`;
    for (const host of ["matches.example:8443", "matches.example", "[::1]:8080"]) {
      expect(await selfOf(line, host)).toBe(`http://${host}${PATH}`);
    }
    expect(await selfOf(`GET ${PATH} HTTP/1.0`)).toBe(world.url + PATH);
    // An absolute target is served like its path.
    for (const target of ["matches.example", "other.example"]) {
      const absolute = `GET http://${target}${PATH} HTTP/1.1`;
      expect(await selfOf(absolute, "matches.example")).toBe(`http://matches.example${PATH}`);
    }
    for (const host of ['evil"><script>', "user@evil.example", "a b", "evil.example/path?x=#y"]) {
      expect([undefined, world.url + PATH]).toContain(await selfOf(line, host));
    }
  });

  test("a link has no trailing slash, although the request may; an empty segment is no route", async () => {
    const line = "GET /shards/na/matches/?page[limit]=1 HTTP/1.1";
    expect(await selfOf(line, "here")).toBe("http://here/shards/na/matches?page%5Blimit%5D=1");
    expect(await selfOf("GET //shards/na/matches HTTP/1.1", "here")).toBeUndefined();
  });
});

const FORWARDED = { "X-Forwarded-Host": "api.example.com", "X-Forwarded-Proto": "https" };
const TRUSTED = { "trusted-proxies": "10.1.0.0/16,127.0.0.0/8" };
const PUBLIC = { ...TRUSTED, "public-url": "https://api.example.com/game/" };

/** `{URL}` is that of the server. */
test.each<[string, Record<string, string>, Record<string, string>, string]>([
  ["forwarding headers are ignored", {}, FORWARDED, "{URL}"],
  ["so are those of others", { "trusted-proxies": "10.1.0.0/16,::1" }, FORWARDED, "{URL}"],
  ["a trusted proxy gives host and scheme", TRUSTED, FORWARDED, "https://api.example.com"],
  ["the scheme alone", TRUSTED, { "X-Forwarded-Proto": "https" }, "https://{HOST}"],
  ["the host alone", TRUSTED, { "X-Forwarded-Host": "a.example:81" }, "http://a.example:81"],
  [
    "the first of several, the client's",
    TRUSTED,
    { "X-Forwarded-Host": "a.example, inner.example", "X-Forwarded-Proto": "HTTPS, http" },
    "https://a.example",
  ],
  [
    "nothing invalid",
    TRUSTED,
    { "X-Forwarded-Host": 'a"/../b', "X-Forwarded-Proto": "javascript" },
    "{URL}",
  ],
  ["a public URL is always used", PUBLIC, FORWARDED, "https://api.example.com/game"],
])("%s", async (_, flags, headers, expected) => {
  await using world = await startWorld(documents, flags);
  const { host } = new URL(world.url);
  const shown = expected.replace("{URL}", world.url).replace("{HOST}", host);
  expect(await origins(world, headers)).toEqual([shown]);
});
