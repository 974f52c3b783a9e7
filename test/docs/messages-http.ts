/** Triggers every error response: one real request for each variant of each message. */

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { makeKey } from "../../src/access/key.ts";
import { encodeCursor } from "../../src/query/cursor.ts";
import { MAX_PARAMETERS, MAX_VALUES } from "../../src/query/parameters.ts";
import { DERIVED_TABLES } from "../../src/store/all-tables/declared.ts";
import { BUGGY_PLAYER, simulateBug } from "../support/bug.ts";
import { writeDamagedShard } from "../support/damaged-shard.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { StreamClient } from "../support/event-stream.ts";
import { serveWithKeys, serveWithoutKeys, TestClock } from "../support/keys.ts";
import { withWriter } from "../support/prune.ts";
import { aMatch, duel } from "../support/records.ts";
import { until } from "../support/state.ts";
import { type Reply, startWorld, type World } from "../support/world.ts";

export interface ReplyMessage {
  /** The path as the page shows it, shortened where it is long. */
  request: string;
  reply: Reply;
  errors: { code: string; title: string; detail: string }[];
}

const messageOf = (request: string, reply: Reply): ReplyMessage => ({
  request,
  reply,
  errors: reply.body.errors,
});

type Wish = [path: string, options?: { shown?: string; headers?: Headers; method?: string }];
type Headers = Record<string, string | null>;

const MATCHES = "/shards/na/matches";
const PLAYERS = "/shards/na/players";
const NAMES = "/shards/na/player-names";
const CHANGES = "/shards/na/changes";
const BOARDS = "/shards/na/leaderboards";
const CURSOR = encodeCursor({ createdAt: 0, id: "m1", side: "after" });
const long = (path: string, shown: string): Wish => [path, { shown }];
const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`);

const WISHES: readonly Wish[] = [
  ["/nowhere"],
  ["/shards/na/teams"],
  long(`${MATCHES}?filter[playerNames]=${"x".repeat(9000)}`, `${MATCHES}?filter[playerNames]=xxx…`),
  [MATCHES, { method: "DELETE" }],
  [MATCHES, { headers: { Authorization: null } }],
  [MATCHES, { headers: { Accept: "application/json" } }],
  ["/shards/nae/matches"],
  ["/shards/somewhere/matches"],
  [`${MATCHES}/m2`],
  [`${PLAYERS}/p9`],
  [`${PLAYERS}/p9/played-with`],
  [`${MATCHES}?filter[playerNames]=50%`],
  [`${MATCHES}?filter[playerNames]=%E4da`],
  [`${MATCHES}?%zz=1`],
  [`${MATCHES}?=Ada`],
  long(
    `${MATCHES}?${words(MAX_PARAMETERS + 1)
      .map(() => "sort=createdAt")
      .join("&")}`,
    `${MATCHES}?sort=createdAt&sort=createdAt&…`,
  ),
  [`${MATCHES}?filter[playerName]=Ada`],
  ["/shards/na/heroes?sort=name"],
  [`${MATCHES}?limit=5`],
  [`${MATCHES}?include[]=rosters`],
  [`${MATCHES}?season=9`],
  [`${PLAYERS}?sort=createdAt`],
  [`${MATCHES}/m1?page[limit]=5`],
  ["/status?verbose=1"],
  [`${MATCHES}?sort=createdAt&sort=-createdAt`],
  [`${MATCHES}?filter[playerNames]=Ada&filter[playerNames]=Grace`],
  [`${MATCHES}?page[limit]=`],
  [`${MATCHES}?filter[playerNames]`],
  [`${NAMES}?near=Ada&filter[near]=Ada`],
  [NAMES],
  [`${NAMES}?filter[near]=`],
  [`${MATCHES}?page[limit]=50`],
  [`${MATCHES}?page[offset]=-1`],
  [`${PLAYERS}?page[limit]=7`],
  [`${PLAYERS}?page[offset]=6`],
  [`${MATCHES}?sort=duration`],
  long(`${NAMES}?filter[near]=${"x".repeat(70)}`, `${NAMES}?filter[near]=xxx…`),
  [`${NAMES}?filter[near]=Ada%00`],
  [`${MATCHES}?filter[createdAt-start]=yesterday`],
  [`${MATCHES}?filter[createdAt-start]=2026-02-30T00:00:00Z`],
  [`${MATCHES}?filter[gameMode]=rankd,solo`],
  [`${MATCHES}?filter[playerNames]=Ada,,Grace`],
  [`${MATCHES}?filter[playerNames]=Ada\\Grace`],
  [`${MATCHES}?include=rosters,`],
  [`${MATCHES}?page[offset]=5&page[after]=${CURSOR}`],
  [`${MATCHES}?page[before]=${CURSOR}&page[after]=${CURSOR}`],
  long(
    `${MATCHES}?filter[playerNames]=${words(MAX_VALUES + 1).join()}`,
    `${MATCHES}?filter[playerNames]=w0,w1,w2,…`,
  ),
  [
    `${MATCHES}?filter[createdAt-start]=2026-02-01T00:00:00Z&filter[createdAt-end]=2026-01-01T00:00:00Z`,
  ],
  [`${MATCHES}?filter[createdAt-start]=9999-01-01T00:00:00Z`],
  [`${MATCHES}?filter[createdAt-end]=2020-01-01T00:00:00Z`],
  [`${MATCHES}?page[after]=nonsense`],
  [`${MATCHES}?page[offset]=10001`],
  [`${MATCHES}?include=rosters.player,teams`],
  [`${PLAYERS}?include=matches`],
  [`${MATCHES}?fields[rosters]=won`],
  [`${MATCHES}?page[limit]=6&sort=id&filter[playerName]=Ada`],
  [`${BOARDS}/kills`],
  [`${BOARDS}/skill-tier?filter[period]=28d`],
  [`${BOARDS}/ranked-wins?filter[period]=7d`],
  [`${BOARDS}/ranked-wins?page[after]=nonsense`],
  [`${BOARDS}/ranked-wins?page[limit]=5&filter[playerIds]=p1`],
  [CHANGES, { headers: { Accept: "text/html" } }],
  [`${CHANGES}?page[after]=nonsense`],
  [`${CHANGES}?page[after]=1-1`],
  [`${CHANGES}?page[limit]=500`],
  [CHANGES, { headers: { Accept: "text/event-stream", "Last-Event-ID": "nonsense" } }],
  [`${CHANGES}?lastEventId=nonsense`, { headers: { Accept: "text/event-stream" } }],
];

/** All messages, in the order of WISHES. */
export async function replyMessages(): Promise<ReplyMessage[]> {
  const record = aMatch({
    id: "m1",
    rosters: duel({ id: "p1", name: "Ada" }, { id: "p2", name: "Grace" }),
  });
  await using world = await startWorld([record, aMatch({ id: "m3" })]);
  await using empty = await startWorld();
  await using relaxed = await startWorld([record], { compat: "gamelocker" });
  const noon = new TestClock(new Date().setUTCHours(12, 0, 0, 0));
  await using limited = await serveWithKeys(world, [{ rate: 2 }], {}, noon);
  await using guarded = await serveWithKeys(
    world,
    [{ matchesPerDay: 1 }, { shards: ["eu"] }],
    { "open-requests-per-minute": 1 },
    noon,
  );
  await using keyless = await serveWithoutKeys(world);
  await using full = await serveWithKeys(world, [], { "max-in-flight": 0 });
  const fixBug = simulateBug();
  try {
    const messages = await Promise.all(WISHES.map((wish) => ask(world, wish)));
    messages.push(await ask(empty, [MATCHES]));
    messages.push({
      ...(await ask(relaxed, [`${MATCHES}?filter[playerNames]=Nobody`])),
      request: `GET ${MATCHES}?filter[playerNames]=Nobody (with the profile gamelocker)`,
    });
    messages.push(await overstreamed(world), ...(await visitorMessages(world, noon)));
    messages.push(await exhausted(world, limited), ...(await guardedMessages(world, guarded)));
    messages.push(await ask(world, [`${keyless.url}${MATCHES}`, { shown: MATCHES }]));
    messages.push(await ask(world, [`${full.url}${MATCHES}`, { shown: MATCHES }]));
    damage(world);
    for (const path of ["/shards/torn/matches", `${MATCHES}/m1`, "/shards/na/heroes"]) {
      messages.push(await ask(world, [path]));
    }
    messages.push(await ask(world, [`${PLAYERS}/${BUGGY_PLAYER}`, { shown: `${PLAYERS}/p1` }]));
    messages.push(await ask(world, ["/usage"]));
    messages.push(await verified(world));
    return messages;
  } finally {
    fixBug();
  }
}

async function ask(
  world: World,
  [path, { shown = path, headers = {}, method = "GET" } = {}]: Wish,
): Promise<ReplyMessage> {
  const reply = await world.get(path, headers, method);
  const given = Object.entries(headers).map(([name, value]) =>
    value === null ? `without ${name}` : `${name}: ${value}`,
  );
  const note = given.length > 0 ? ` (${given.join(", ")})` : "";
  return messageOf(`${method} ${shown}${note}`, reply);
}

/** Sends three requests with a key that may send two a minute. */
async function exhausted(world: World, limited: { url: string; keys: string[] }) {
  const headers = { Authorization: `Bearer ${limited.keys[0]}` };
  for (const _ of [1, 2]) await world.get(`${limited.url}${MATCHES}`, headers);
  const reply = await world.get(`${limited.url}${MATCHES}`, headers);
  return messageOf(`GET ${MATCHES}, again too soon`, reply);
}

/** Opens two streams at once, with a key that may have one. */
async function overstreamed(world: World): Promise<ReplyMessage> {
  await using server = await serveWithKeys(world, [{}], { tiers: [{ name: "hobby", streams: 1 }] });
  const headers = { Authorization: `Bearer ${server.keys[0]}` };
  const stream = await StreamClient.open(`${server.url}${CHANGES}`, headers);
  const reply = await world.get(`${server.url}${CHANGES}`, {
    ...headers,
    Accept: "text/event-stream",
  });
  stream.close();
  const request = `GET ${CHANGES}, with as many streams as the key may have`;
  return messageOf(request, reply);
}

/** Reads two matches without a key where a visitor may read one, and sends one request too many. */
async function visitorMessages(world: World, noon: TestClock): Promise<ReplyMessage[]> {
  const tiers = [{ name: "hobby" }, { name: "visitor", rate: 2, matchesPerDay: 1 }];
  await using server = await serveWithKeys(world, [], { "portal-visitors": "on", tiers }, noon);
  const response = await fetch(`${server.url}/portal/visitor-token`);
  const { token } = (await response.json()) as { token: string };
  const get = async (path: string, request: string): Promise<ReplyMessage> => {
    const headers = { Authorization: `Bearer ${token}` };
    return messageOf(request, await world.get(server.url + path, headers));
  };
  await get(`${MATCHES}/m1`, "");
  const messages = [
    await get(`${MATCHES}/m3`, `GET ${MATCHES}/m3, of a portal visitor, the second match of a day`),
    await get(MATCHES, `GET ${MATCHES}, of a portal visitor, again too soon`),
  ];
  return messages;
}

/** Reads two matches with a quota of one, reads a shard the key may not read, sends two invalid keys, and exceeds the limit of open routes. */
async function guardedMessages(world: World, { url, keys }: { url: string; keys: string[] }) {
  const as = async (key: string, path: string, request: string): Promise<ReplyMessage> => {
    const headers = { Authorization: `Bearer ${key}` };
    return messageOf(request, await world.get(`${url}${path}`, headers));
  };
  const [reader, stranger] = keys as [string, string];
  await world.get(`${url}${MATCHES}/m1`, { Authorization: `Bearer ${reader}` });
  const messages = [
    await as(reader, `${MATCHES}/m3`, `GET ${MATCHES}/m3, the second match of a day with one`),
    await as(stranger, MATCHES, `GET ${MATCHES} (with a key for other shards)`),
  ];
  await world.get(`${url}${MATCHES}`, { Authorization: `Bearer ${makeKey()}` });
  messages.push(await as(makeKey(), MATCHES, `GET ${MATCHES}, with one wrong key too many`));
  await world.get(`${url}/status`);
  messages.push(await as(reader, "/status", "GET /status, once too often"));
  return messages;
}

/** Reads a shard in which a verify has found damage. */
async function verified(world: World): Promise<ReplyMessage> {
  const damage = [{ table: "player_matches", record: "m1", detail: "" }];
  await withWriter(world.settings, "na", (writer) =>
    writer.write(async (one) => one.setVerdict({ at: Date.now(), damaged: 1, damage })),
  );
  await until("the server knows", async () => (await world.get(`${MATCHES}/m2`)).status === 503);
  const message = await ask(world, [MATCHES]);
  return { ...message, request: `${message.request}, after a verify has found damage` };
}

/** Damages a shard file and stored records, removes a derived table, and damages the table of usage. */
function damage(world: World): void {
  writeDamagedShard(join(world.data, "torn.db"));
  const rows = sqliteRows(join(world.data, "na.db"));
  rows.change("match", {}, { document: new Uint8Array(100) });
  // It cannot be built from damaged matches.
  if (DERIVED_TABLES.length > 0) rows.remove("derived table");
  const usage = new Database(join(world.data, "usage.sqlite"));
  usage.run("ALTER TABLE requests RENAME TO gone");
  usage.close();
}
