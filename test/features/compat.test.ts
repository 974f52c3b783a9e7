/** The compatibility profile: what it accepts in requests and what not, what it adds to responses, and that the rest is unchanged. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { makeKey } from "../../src/access/key.ts";
import { idsOf, primary, related } from "../support/compound.ts";
import { hasEndpoint } from "../support/endpoints.ts";
import { serveWithKeys } from "../support/keys.ts";
import { anonymous, expectProblem, problemIn } from "../support/problems.ts";
import { aMatch, duel, minutesAgo, type RosterIn } from "../support/records.ts";
import { exchange } from "../support/wire.ts";
import { JSON_API, type Reply, startWorld, type World } from "../support/world.ts";

const ADA = { id: "player-a", name: "Ada" };
const LATEST = minutesAgo(10);

/** With everything to which members are added, of itself and of what it links to. */
const rich = aMatch({
  id: "rich",
  createdAt: LATEST,
  rosters: [
    {
      members: [
        { id: "player-c", attributes: { titleId: "its-own", createdAt: "2017-03-01T00:00:00Z" } },
      ],
      team: { id: "team-a", name: "ABC" },
    },
    { members: [{ bot: true }, ADA] },
  ],
  attributes: { titleId: "emberfall" },
  relationships: {
    assets: { data: [{ type: "asset", id: "asset-1" }] },
    rounds: { data: [{ type: "round", id: "round-1" }], meta: { of: 1 } },
    spectators: { data: [{ type: "participant", id: "watcher" }] },
    rematch: { data: { type: "match", id: "elsewhere" } },
    oddity: { data: { type: "constructor", id: "odd" } },
  },
  included: [
    { type: "asset", id: "asset-1", attributes: { URL: "https://a.example/t" } },
    { type: "round", id: "round-1", attributes: { ordinal: 1 } },
    {
      type: "participant",
      id: "watcher",
      attributes: { actor: "", stats: { assists: 0, crystalMineCaptures: 0, deaths: 0, farm: 0 } },
    },
    { type: "constructor", id: "odd" },
  ],
});
Object.assign(rich.included.find(({ id }) => id === "player-c")!, {
  relationships: { assets: { data: [{ type: "asset", id: "asset-1" }] } },
});

let world: World;
let strict: Awaited<ReturnType<typeof serveWithKeys>>;
beforeAll(async () => {
  const documents = Array.from({ length: 6 }, (_, at) =>
    aMatch({
      id: `match-${at + 1}`,
      createdAt: minutesAgo(60 - at),
      rosters: duel(ADA, { id: "player-b", name: "Grace" }),
    }),
  );
  world = await startWorld([...documents, rich], { compat: "gamelocker" });
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

const MATCHES = "/shards/na/matches";
const PLAYERS = "/shards/na/players";
const MATCH = `${MATCHES}/match-1`;
const PLAYER = `${PLAYERS}/player-a`;
const ENDPOINTS = [MATCHES, MATCH, PLAYERS, PLAYER];
const queryOf = (link: string): string[] => [...new URL(link).searchParams.keys()];

describe("ignored, and not in links:", () => {
  const EVERY = "page[limit]=&page[offset]=&page[after]=&page[before]=&sort=&fields[match]=";
  const COLLECTION = "page[offset]=1&sort=-createdAt&filter[gameMode]=ranked";
  test.each([
    // Empty parameters.
    `${MATCHES}?filter[playerNames]=&filter[teamNames]`,
    `${MATCHES}?filter%5BplayerIds%5D=&filter%5BgameMode%5D=&filter%5BpatchVersion%5D=&${EVERY}`,
    `${MATCHES}?filter[createdAt-start]=&filter[createdAt-end]=`,
    `${PLAYERS}?filter[playerNames]=&filter[playerIds]=`,
    // Parameters that the endpoint does not take.
    `${MATCHES}?callback=x&filter[playerName]=Grace&filter[winner]=true`,
    `${MATCHES}?fields[nothing]=a&utm_source=b&x`,
    `${MATCHES}?junk=%zz&more=%ff`,
    `${MATCHES}?${Array.from({ length: 150 }, (_, at) => `junk${at}=1`).join("&")}`,
    `${PLAYERS}?${COLLECTION}&filter[teamNames]=ABC`,
    `${MATCH}?${COLLECTION}&page[limit]=50&filter[playerNames]=Nobody`,
    `${PLAYER}?${COLLECTION}&page[limit]=50&filter[createdAt-start]=never`,
  ])("%s", async (path) => {
    const bare = await world.get(path.slice(0, path.indexOf("?")));
    const { status, body } = await world.get(path);
    expect(status).toBe(200);
    expect([body.data, body.included]).toEqual([bare.body.data, bare.body.included]);
    expect(queryOf(body.links.self)).toEqual([]);
    expect((await strictly(path)).status).toBe(400);
  });

  test.each(["/status?callback=x", "/openapi.json?page[limit]=5&x", "/usage?utm_source=b"])(
    "%s",
    async (path) => {
      expect((await world.get(path)).status).toBe(200);
      expect((await strictly(path)).status).toBe(400);
    },
  );

  test("other parameters still apply, in data and in links; an empty one is no repetition", async () => {
    const query =
      "junk=1&filter[playerNames]=&filter[playerNames]=Ada&sort=-createdAt&fields[match]=";
    const { body } = await world.get(`${MATCHES}?${query}`);
    expect(idsOf(body)[0]).toBe("rich");
    expect(queryOf(body.links.self)).toEqual(["filter[playerNames]", "sort"]);
    for (const link of [body.links.first, body.links.next]) {
      expect(queryOf(link)).not.toContain("junk");
      expect(queryOf(link)).toContain("filter[playerNames]");
    }
  });

  test("but an empty include still means no related resources", async () => {
    expect((await world.get(`${MATCHES}?include=`)).body.included).toEqual([]);
  });
});

test.each(["50", "6", "000000099", "99999999999999999999"])(
  "a page[limit] above the maximum is taken as the maximum: %s",
  async (limit) => {
    const path = `${MATCHES}?page[limit]=${limit}`;
    const first = (await world.get(path)).body;
    for (const link of [first.links.self, first.links.next]) {
      expect(new URL(link).searchParams.get("page[limit]")).toBe("5");
    }
    const second = (await world.get(first.links.next)).body;
    expect(idsOf(first)).toHaveLength(5);
    expect(idsOf(second)).toEqual(["match-6", "rich"]);
    expectProblem(await strictly(path), "invalid-parameter", { parameter: "page[limit]" });
    // Players have their own.
    const { links } = (await world.get(`${PLAYERS}?page[limit]=${limit}0`)).body;
    expect(new URL(links.self).searchParams.get("page[limit]")).toBe("6");
  },
);

describe("still refused, and only this is reported:", () => {
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
    ["filter[playerIds]=a&filter[playerIds]=b", "repeated-parameter", "filter[playerIds]"],
    ["include=nothing", "unknown-include-path", "include"],
  ] as const)("%s", async (query, code, parameter) => {
    const response = await world.get(`${MATCHES}?junk=%zz&filter[teamNames]=&${query}`);
    expectProblem(response, code, { parameter });
  });
});

describe("the Accept header", () => {
  test.each([
    "application/json",
    "*/*",
    "application/*",
    "Application/JSON; charset=utf-8",
    "text/html, application/json;q=0.9, */*;q=0.1",
    "application/json;q=0, */*",
  ])("may take JSON in general: %s", async (accept) => {
    for (const path of ENDPOINTS) {
      const response = await world.get(path, { Accept: accept });
      expect([response.status, response.headers.get("content-type")]).toEqual([200, JSON_API]);
      expect((await strictly(path, { Accept: accept })).status).toBe(406);
    }
  });

  test("may be missing", async () => {
    const lines = [`GET ${MATCH} HTTP/1.1`, "Host: here", `Authorization: Bearer ${world.key}`];
    const response = await exchange(world.url, lines);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, JSON_API]);
    expect((await exchange(strict.url, lines)).status).toBe(406);
  });

  test.each([
    "text/html",
    "application/json;q=0",
    "*/*;q=0.0",
    "application/vnd.api+json;q=0, */*",
  ])("must accept JSON: %s", async (accept) => {
    expectProblem(await world.get(MATCH, { Accept: accept }), "not-acceptable");
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
    const statuses = [];
    for (const Authorization of [`Bearer ${key}`, key]) {
      statuses.push((await server.ask(MATCH, { Authorization })).status);
    }
    expect(statuses).toEqual([200, 429]);
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
    const none = anonymous(await strictly(MATCH, { Authorization: null }));
    const wrong = await world.get(MATCH, { Authorization: authorization() });
    expect(wrong.status).toBe(401);
    expect(anonymous(wrong)).toEqual(none);
    expect(anonymous(await world.get(MATCH, { Authorization: null }))).toEqual(none);
  });
});

describe("a response with added members", () => {
  const PATHS = [
    ...[MATCHES, `${MATCHES}?include=`, `${MATCHES}/rich`, MATCH],
    ...[PLAYERS, PLAYER, `${PLAYERS}/player-c`],
  ];

  test.each(PATHS)("is otherwise the same, has its own tag, and 304 for it: %s", async (path) => {
    const [got, plain] = [await world.get(path), await strictly(path)];
    expect(got.body.data).toMatchObject(plain.body.data);
    const names = ({ body }: Reply) =>
      [...primary(body), ...related(body)].map(({ type, id }) => `${type}/${id}`).sort();
    expect(names(got)).toEqual(names(plain));
    const etag = got.headers.get("etag")!;
    expect(etag).not.toBe(plain.headers.get("etag"));
    const known = await world.get(path, { "If-None-Match": etag });
    expect([known.status, known.text, known.headers.get("etag")]).toEqual([304, "", etag]);
    const head = await world.get(path, {}, "HEAD");
    expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", etag]);
  });

  test("can include them even if no record has any", async () => {
    await using bare = await startWorld([aMatch({ id: "alone" })], { compat: "gamelocker" });
    const path = `${MATCHES}/alone?include=assets,rounds,spectators`;
    expect((await bare.get(path)).body.included).toEqual([]);
    await using server = await serveWithKeys(bare, [], { compat: "off" });
    expect(problemIn(await bare.get(`${server.url}${path}`)).code).toBe("unknown-include-path");
  });
});

describe("an empty collection", () => {
  // That it is for GET, and which headers it has, requests.test.ts and test/contract say.
  test("is a 404 for HEAD, whatever the client has", async () => {
    const path = `${MATCHES}?filter[playerNames]=Nobody`;
    const head = await world.get(path, { "If-None-Match": "*" }, "HEAD");
    expect([head.status, head.text]).toEqual([404, ""]);
    expect((await strictly(path)).status).toBe(200);
  });

  const LISTS = [
    "/shards/na/players/alone/played-with",
    "/shards/na/heroes?filter[patchVersion]=9",
    "/shards/na/leaderboards/skill-tier",
    "/shards/na/changes?page[limit]=1000&sort=createdAt",
    "/shards/eu/player-names?filter[near]=Ada&page[limit]=50&include=",
  ];
  test.each(LISTS.filter(hasEndpoint))("is an empty list at %s", async (path) => {
    const bots: [RosterIn, RosterIn] = [{ members: [{ id: "alone" }] }, { members: [] }];
    await world.ingest([
      aMatch({ createdAt: LATEST, rosters: bots }),
      aMatch({ shard: "eu", rosters: [bots[1], bots[1]] }),
    ]);
    const { status, body } = await world.get(path, { Authorization: world.key, Accept: "*/*" });
    expect([status, body.data]).toEqual([200, []]);
  });

  test("is a 404 too in a shard without records", async () => {
    await using bare = await startWorld([], { compat: "gamelocker" }, undefined, "[shards.na]");
    for (const path of [MATCHES, PLAYERS]) expect((await bare.get(path)).status).toBe(404);
  });
});
