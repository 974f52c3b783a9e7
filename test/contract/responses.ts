/** The responses of the frozen contract: one for each endpoint and variant, from servers with fixed records and clocks. */

import type { Json } from "../../src/domain/json.ts";
import { openAccess } from "../../src/open-access.ts";
import { hasEndpoint } from "../support/endpoints.ts";
import { StreamClient } from "../support/event-stream.ts";
import { serveWithKeys, TestClock } from "../support/keys.ts";
import { aMatch, duel } from "../support/records.ts";
import { until } from "../support/state.ts";
import { type Reply, startWorld, type World } from "../support/world.ts";
import { FEATURES } from "./features.ts";
import { frozen, frozenJson } from "./frozen.ts";

const NOON = "2024-05-01T12:00:00Z";
const hoursBefore = (hours: number) => new Date(Date.parse(NOON) - hours * 3_600_000).toISOString();

const ADA = { id: "ada", name: "Ada", stats: { skillTier: 12, played_ranked: 30 } };
const GRACE = { id: "grace", name: "Grace", stats: { skillTier: 11, played_ranked: 20 } };

const RECORDS = [
  aMatch({ id: "match-1", createdAt: hoursBefore(30), rosters: duel(ADA, GRACE) }),
  aMatch({
    id: "match-2",
    createdAt: hoursBefore(3),
    mode: "casual",
    rosters: [
      { members: [GRACE, { bot: true }], team: { id: "team-1", name: "EMBR" } },
      { members: [ADA] },
    ],
    relationships: { assets: { data: [{ type: "asset", id: "asset-1" }] } },
    included: [
      { type: "asset", id: "asset-1", attributes: { URL: "https://files.example/telemetry" } },
    ],
  }),
  aMatch({ id: "match-eu", shard: "eu", createdAt: hoursBefore(1), rosters: duel(ADA, GRACE) }),
];

interface Wish {
  /** As in src/http/routes.ts. */
  route: string;
  path: string;
  headers?: Record<string, string | null>;
  method?: string;
}

const wish = (route: string, path: string, more: Partial<Wish> = {}): Wish => ({
  route,
  path,
  ...more,
});

const MATCHES = "/shards/:shard/matches";
const MATCH = "/shards/:shard/matches/:id";
const PLAYERS = "/shards/:shard/players";
const PLAYER = "/shards/:shard/players/:id";
const CHANGES = "/shards/:shard/changes";
const BOARD = "/shards/:shard/leaderboards/:board";
const STREAM = "/shards/na/changes?page[after]=oldest";
const OPEN = { headers: { Authorization: null, Accept: null } };

/** In this order: limits and usage count them. */
export const WISHES = [
  wish(MATCHES, "/shards/na/matches"),
  wish(MATCHES, "/shards/na/matches?page[limit]=1&sort=-createdAt&include="),
  wish(MATCHES, "/shards/na/matches?filter[playerNames]=Nobody"),
  wish(MATCHES, "/shards/na/matches", { method: "HEAD" }),
  wish(MATCHES, "/shards/na/matches", {
    method: "OPTIONS",
    headers: { Origin: "https://elsewhere.example", Authorization: null, Accept: null },
  }),
  wish(MATCH, "/shards/na/matches/match-2"),
  wish(MATCH, "/shards/na/matches/match-1?include=rosters&fields[match]=duration&fields[roster]="),
  wish(PLAYERS, "/shards/na/players?filter[playerNames]=Ada,Grace"),
  wish(PLAYERS, "/shards/na/players?page[limit]=1"),
  wish(PLAYER, "/shards/na/players/ada"),
  wish("/shards/:shard/players/:id/played-with", "/shards/na/players/ada/played-with"),
  wish("/shards/:shard/player-names", "/shards/na/player-names?filter[near]=Adda"),
  wish("/player-names", "/player-names?filter[near]=Adda"),
  wish(BOARD, "/shards/na/leaderboards/skill-tier"),
  wish(BOARD, "/shards/na/leaderboards/ranked-wins?filter[period]=28d&page[limit]=1"),
  wish(CHANGES, "/shards/na/changes?page[after]=oldest&page[limit]=1"),
  wish("/shards/:shard/heroes", "/shards/na/heroes"),
  wish("/usage", "/usage"),
  wish("/status", "/status", OPEN),
  wish("/healthz", "/healthz", OPEN),
  wish("/readyz", "/readyz", OPEN),
  wish("/openapi.json", "/openapi.json", OPEN),
].filter(({ path }) => hasEndpoint(path));

/** What the compatibility profile changes. */
const WITH_PROFILE: readonly Wish[] = [
  wish(MATCHES, "/shards/na/matches?filter[playerNames]=&page[limit]=50&unknown=1"),
  wish(MATCHES, "/shards/na/matches?filter[playerNames]=Nobody"),
  wish(MATCH, "/shards/na/matches/match-2", { headers: { Accept: "*/*" } }),
  wish(PLAYER, "/shards/na/players/ada"),
  wish("/status", "/status", OPEN),
];

/** Every response by its request, and the OpenAPI document. */
export async function responses(): Promise<{ responses: Record<string, Json>; openApi: Json }> {
  const clock = new TestClock(NOON);
  const flags = { "public-url": "https://matchbook.example", rate: "60" };
  const world = await startWorld(RECORDS, flags, clock);
  const relaxed = await startWorld(RECORDS, { ...flags, compat: "gamelocker" }, clock);
  const found: Record<string, Json> = {};
  try {
    for (const one of WISHES) {
      if (one.path === "/usage") await usageIsStored(world);
      found[requestLine(one)] = described(await send(world, one), one);
    }
    const first = await world.get("/shards/na/matches/match-1");
    const unchanged = { "If-None-Match": first.headers.get("etag") };
    const again = wish(MATCH, "/shards/na/matches/match-1", { headers: unchanged });
    found["GET /shards/na/matches/match-1 (If-None-Match: <tag>)"] = frozen(
      await send(world, again),
    );
    if (hasEndpoint(STREAM))
      found[`GET ${STREAM} (Accept: text/event-stream)`] = await streamed(world);
    for (const one of WITH_PROFILE) {
      found[`${requestLine(one)}, with the profile gamelocker`] = frozen(await send(relaxed, one));
    }
    for (const more of FEATURES) Object.assign(found, await more(RECORDS));
    const { body } = await world.get("/openapi.json", OPEN.headers);
    return { responses: found, openApi: withoutProse(frozenJson(body)) };
  } finally {
    await relaxed.stop();
    await world.stop();
  }
}

/** Of all requests before that have a key: OPTIONS has none. */
async function usageIsStored({ data }: World): Promise<void> {
  const access = openAccess({ data });
  const requests = WISHES.findIndex(({ path }) => path === "/usage") - 1;
  await until("usage is stored", async () => {
    const [day] = await access.usage.read(0);
    return day?.requests.get(200) === requests;
  });
  await access.close();
}

/** Uncompressed: how a response is compressed depends on the load. */
const send = (world: World, { path, headers, method }: Wish): Promise<Reply> =>
  world.get(path, { "Accept-Encoding": "identity", ...headers }, method);

/** Without texts, which may be improved at any time, and without examples, which are responses themselves. */
function withoutProse(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutProse);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(
    ([name, inner]) =>
      !(["description", "summary"].includes(name) && typeof inner === "string") &&
      !/^examples?$/.test(name),
  );
  return Object.fromEntries(members.map(([name, inner]) => [name, withoutProse(inner)]));
}

/** The OpenAPI document is in a file of its own. */
function described(reply: Reply, { route }: Wish): Json {
  const all = frozen(reply);
  return route === "/openapi.json" ? { ...all, body: "see openapi.json" } : all;
}

function requestLine({ path, headers = {}, method = "GET" }: Wish): string {
  const given = Object.entries(headers).map(([name, value]) =>
    value === null ? `without ${name}` : `${name}: ${value}`,
  );
  return `${method} ${path}${given.length > 0 ? ` (${given.join(", ")})` : ""}`;
}

/** The beginning of a stream, and its end. */
async function streamed(world: World): Promise<Json> {
  const server = await serveWithKeys(world, [], {}, new TestClock(NOON));
  const headers = { Authorization: `Bearer ${world.key}` };
  const client = await StreamClient.open(server.url + STREAM, headers);
  await client.changes(2);
  await server.stop();
  while (await client.more()) {}
  const events = client.events.map(({ event, lastId, data }) => ({
    event,
    lastId,
    data: JSON.parse(data),
  }));
  const { status, headers: sent } = client.response;
  return frozen({ status, headers: sent, text: "", body: { events } });
}
