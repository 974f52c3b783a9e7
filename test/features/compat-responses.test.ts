/** Tests what the compatibility profile adds to responses, and that other responses are unchanged. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/domain/json.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { type AnyResource, primary, related } from "../support/compound.ts";
import { serveWithKeys } from "../support/keys.ts";
import { problemIn } from "../support/problems.ts";
import { aMatch, duel, minutesAgo } from "../support/records.ts";
import { checkReply } from "../support/replies.ts";
import { included, type Reply, startWorld, type World } from "../support/world.ts";

const plain = aMatch({
  id: "plain",
  createdAt: minutesAgo(50),
  rosters: duel({ id: "player-a", name: "Ada" }, { id: "player-b" }),
});

const asset = (id: string) => ({ type: "asset", id, attributes: { URL: "https://a.example/t" } });
const RICH_TIME = minutesAgo(40);
const rich = aMatch({
  id: "rich",
  createdAt: RICH_TIME,
  rosters: [
    {
      members: [
        { id: "player-c", attributes: { titleId: "its-own", createdAt: "2017-03-01T00:00:00Z" } },
      ],
      team: { id: "team-a", name: "ABC" },
    },
    { members: [{ bot: true }, { id: "player-a", name: "Ada" }] },
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
    asset("asset-1"),
    { type: "round", id: "round-1", attributes: { ordinal: 1 } },
    {
      type: "participant",
      id: "watcher",
      attributes: {
        actor: "",
        stats: { assists: 0, crystalMineCaptures: 0, deaths: 0, farm: 0 },
      },
    },
    { type: "constructor", id: "odd" },
  ],
});
const capital = aMatch({
  id: "capital",
  createdAt: minutesAgo(30),
  attributes: { titleID: "emberfall-2" },
  relationships: { rounds: { meta: { of: 0 } } },
});

let world: World;
let strict: Awaited<ReturnType<typeof serveWithKeys>>;
beforeAll(async () => {
  const linked = rich.included.find(({ id }) => id === "player-c")!;
  linked.relationships = { assets: { data: [{ type: "asset", id: "asset-2" }] } };
  rich.included.push(asset("asset-2"));
  world = await startWorld([plain, rich, capital], { compat: "gamelocker" });
  strict = await serveWithKeys(world, [], { compat: "off" });
});
afterAll(async () => {
  await strict.stop();
  await world.stop();
});

const strictly = (path: string): Promise<Reply> => world.get(`${strict.url}${path}`);

const PATHS = [
  "/shards/na/matches",
  "/shards/na/matches?include=",
  "/shards/na/matches?include=rosters,assets",
  "/shards/na/matches/rich",
  "/shards/na/matches/plain",
  "/shards/na/players",
  "/shards/na/players/player-a",
  "/shards/na/players/player-c",
];

const all = (body: JsonObject): AnyResource[] => [...primary(body), ...related(body)];

describe("the members that older clients read are present, empty if the record has none:", () => {
  test("createdAt on a player, of the latest match, also with an older one", async () => {
    const expected = { attributes: { createdAt: RICH_TIME } };
    const single = await world.get("/shards/na/players/player-a");
    expect(single.body.data).toMatchObject(expected);
    const list = await world.get("/shards/na/players?filter[playerIds]=player-b,player-a");
    expect(list.body.data[1]).toMatchObject(expected);
    const match = await world.get("/shards/na/matches/plain");
    expect(included(match.body, "player", "player-a")).toMatchObject(expected);
  });

  test("meta on a list of players that is not complete", async () => {
    const path = "/shards/na/players?filter[playerIds]=player-a,player-b&page[limit]=1";
    expect((await world.get(path)).body.meta).toEqual({ omitted: 1 });
  });
});

describe("the members are added only to responses:", () => {
  test.each(PATHS.filter((path) => !path.includes("assets")))(
    "%s is otherwise the same with and without the profile",
    async (path) => {
      const lenient = await world.get(path);
      const plain = await strictly(path);
      expect(lenient.body.data).toMatchObject(plain.body.data);
      const names = (body: JsonObject) => all(body).map(({ type, id }) => `${type}/${id}`);
      expect(names(lenient.body).sort()).toEqual(names(plain.body).sort());
    },
  );

  test("a match ingested again as it was served is a duplicate", async () => {
    const { body } = await strictly("/shards/na/matches/rich");
    const { report } = await world.ingest([{ data: body.data, included: body.included }]);
    expect(report).toMatchObject({ duplicate: 1 });
  });
});

describe("a response with these members", () => {
  test("can include them even if no record has any", async () => {
    await using bare = await startWorld([aMatch({ id: "alone" })], { compat: "gamelocker" });
    const path = "/shards/na/matches/alone?include=assets,rounds,spectators";
    expect((await bare.get(path)).body.included).toEqual([]);
    const server = await serveWithKeys(bare, [], { compat: "off" });
    const response = await bare.get(`${server.url}${path}`);
    await server.stop();
    expect(problemIn(response).code).toBe("unknown-include-path");
  });

  test.each(PATHS)("%s has its own ETag, gets 304 for it, and HEAD matches GET", async (path) => {
    const got = await world.get(path);
    const tag = got.headers.get("etag")!;
    expect(tag).not.toBe((await strictly(path)).headers.get("etag"));
    expect((await world.get(path)).headers.get("etag")).toBe(tag);
    const known = await world.get(path, { "If-None-Match": tag });
    expect(known.status).toBe(304);
    expect(known.text).toBe("");
    expect(known.headers.get("etag")).toBe(tag);
    const head = await world.get(path, {}, "HEAD");
    expect(head.status).toBe(200);
    expect(head.text).toBe("");
    expect(head.headers.get("etag")).toBe(tag);
    expect(head.headers.get("content-type")).toBe(got.headers.get("content-type"));
  });
});

describe("the schema of the API, extended by docs/compatibility.md,", () => {
  const paths = ROUTES.map(({ path }) =>
    path
      .replace(":shard", "na")
      .replace("matches/:id", "matches/rich")
      .replace(":id", "player-a")
      .replace(":board", "win-streak"),
  ).map((path) => (path.endsWith("/player-names") ? `${path}?filter[near]=Ada` : path));
  /** The profile changes nothing else. */
  const CHANGED = paths.filter((path) =>
    /matches|players(?!.*played-with)|status|names|changes/.test(path),
  );

  test.each(paths)("describes the response of %s", async (path) => {
    const { status, headers, text } = await world.get(path);
    expect(status).toBe(200);
    const reply = { method: "GET", path, status, headers, text };
    expect(() => checkReply({ ...reply, compat: "gamelocker" })).not.toThrow();
  });

  test.each(CHANGED)("does not describe that of %s without the profile", async (path) => {
    const { status, headers, text } = await strictly(path);
    expect(status).toBe(200);
    const reply = { method: "GET", path, status, headers, text };
    expect(() => checkReply({ ...reply, compat: "gamelocker" })).toThrow("off its description");
  });
});

describe("an empty collection is a 404 with an error document:", () => {
  test.each([
    "/shards/na/matches?filter[playerNames]=Nobody",
    "/shards/na/matches?filter[teamNames]=NONE",
    "/shards/na/matches?filter[patchVersion]=0.0",
    "/shards/na/matches?filter[createdAt-start]=2001-01-01T00:00:00Z&filter[createdAt-end]=2001-01-02T00:00:00Z",
    "/shards/na/matches?page[offset]=100",
    "/shards/na/players?filter[playerNames]=Nobody",
    "/shards/na/players?filter[playerIds]=nobody&filter[playerNames]=",
  ])("%s", async (path) => {
    const response = await world.get(path);
    expect(response.status).toBe(404);
    expect(problemIn(response).code).toBe("not-found");
    expect(response.headers.get("etag")).toBeNull();
    expect(response.headers.get("x-ratelimit-limit")).not.toBeNull();
    const head = await world.get(path, { "If-None-Match": "*" }, "HEAD");
    expect(head.status).toBe(404);
    expect(head.text).toBe("");
    const empty = await strictly(path.replace("&filter[playerNames]=", ""));
    expect(empty.status).toBe(200);
    expect(empty.body.data).toEqual([]);
  });

  test("so is one of a shard without records", async () => {
    await using bare = await startWorld([], { compat: "gamelocker" }, undefined, "[shards.na]");
    expect((await bare.get("/shards/na/matches")).status).toBe(404);
    expect((await bare.get("/shards/na/players")).status).toBe(404);
  });
});
