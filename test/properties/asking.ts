/** Fetches everything that a server returns about its records, as raw bytes. */

import { gunzipSync } from "node:zlib";
import type { Filters } from "../model/record.ts";
import type { MatchDocument } from "../support/records.ts";
import { JSON_API, type World } from "../support/world.ts";
import { MATCH_IDS, NAMES, PATCHES, PLAYER_IDS, SHARD, TAGS, WINDOW } from "./histories.ts";

/** A fixed base URL for links, so that servers on different ports return equal bytes. */
export const PUBLIC_URL = "https://matchbook.example";

/** Ingests records, all of which must be accepted. */
export async function take(
  world: World,
  documents: MatchDocument[],
  batch?: number,
): Promise<void> {
  const { rejections, conflicts } = await world.ingest(documents, {
    ...(batch === undefined ? {} : { batch }),
  });
  const refused = rejections.flatMap(({ problems }) => problems);
  if (refused.length + conflicts.length > 0) {
    throw new Error(`not accepted: ${[...refused, ...conflicts].join("; ")}`);
  }
}

const ENCODINGS = ["identity", "gzip", "zstd"] as const;

/** One response in every encoding. */
export interface Raw {
  status: number;
  plain: Buffer;
  gzip: Buffer;
  zstd: Buffer;
  /** The encodings that were sent. */
  sent: string[];
  /** The entity tags of what was asked for. */
  tags: (string | null)[];
}

/** Asks in every encoding. All have the same document. */
export async function ask(world: World, path: string): Promise<Raw> {
  const replies = [];
  for (const encoding of ENCODINGS) {
    const response = await send(world, path, encoding);
    const sent = response.headers.get("content-encoding") ?? "identity";
    const body = Buffer.from(await response.arrayBuffer());
    replies.push({ asked: encoding, sent, status: response.status, response, body });
  }
  const [plain, gzip, zstd] = replies;
  for (const { asked, sent, status, body } of replies) {
    const fault = (what: string) => new Error(`${path} with ${asked}: ${what}`);
    if (status !== plain!.status) throw fault(`${status} instead of ${plain!.status}`);
    if (status !== 200) continue;
    const isOffered = asked !== "zstd" || world.settings.compression === "small";
    if (sent !== (isOffered ? asked : "identity")) throw fault(`sent as ${sent}`);
    if (!decoded(body, sent).equals(plain!.body)) throw fault("another document");
  }
  return {
    status: plain!.status,
    plain: plain!.body,
    gzip: gzip!.body,
    zstd: zstd!.body,
    sent: replies.map(({ sent }) => sent),
    tags: replies.map(({ response }) => response.headers.get("etag")),
  };
}

function decoded(body: Buffer, encoding: string): Buffer {
  if (encoding === "gzip") return gunzipSync(body);
  return encoding === "zstd" ? Bun.zstdDecompressSync(body) : body;
}

function send(world: World, path: string, encoding: string): Promise<Response> {
  return fetch(`${world.url}${path}`, {
    headers: {
      Authorization: `Bearer ${world.key}`,
      Accept: JSON_API,
      "Accept-Encoding": encoding,
    },
    decompress: false,
  } as RequestInit);
}

export function query(parameters: Record<string, string>): string {
  const pairs = Object.entries(parameters);
  return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

/** A page of matches within the explicit window. */
function matchesPath(parameters: Record<string, string> = {}): string {
  return `/shards/${SHARD}/matches?${query({
    "filter[createdAt-start]": WINDOW.start,
    "filter[createdAt-end]": WINDOW.end,
    ...parameters,
  })}`;
}

/** A list value with escaped commas and backslashes. */
const listed = (...values: string[]): string =>
  values.map((value) => value.replaceAll(/[\\,]/g, "\\$&")).join(",");

const PARAMETERS: Record<keyof Filters, string> = {
  playerNames: "filter[playerNames]",
  playerIds: "filter[playerIds]",
  teamNames: "filter[teamNames]",
  gameModes: "filter[gameMode]",
  patchVersions: "filter[patchVersion]",
};
/** Filters as the parameters of a query. */
export const parametersOf = (filters: Filters): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filters).map(([name, given]) => [
      PARAMETERS[name as keyof Filters],
      listed(...given),
    ]),
  );

/** The pages from a path on, following `next` or `prev`, each with its path. */
async function follow(
  world: World,
  start: string,
  direction: "next" | "prev",
): Promise<[path: string, reply: Raw][]> {
  const pages: [string, Raw][] = [];
  for (let path: string | undefined = start; path !== undefined; ) {
    const reply = await ask(world, path);
    pages.push([path, reply]);
    const link: string | undefined = JSON.parse(reply.plain.toString()).links?.[direction];
    path = link?.slice(PUBLIC_URL.length);
  }
  return pages;
}

/** One path per kind of filter and value that may match. */
const FILTERED: string[] = [
  ...NAMES.map((name) => matchesPath({ "filter[playerNames]": listed(name) })),
  ...PLAYER_IDS.map((id) => matchesPath({ "filter[playerIds]": id, sort: "-createdAt" })),
  ...TAGS.map((tag) => matchesPath({ "filter[teamNames]": listed(tag) })),
  matchesPath({ "filter[playerNames]": listed(...NAMES.slice(2)), "filter[gameMode]": "private" }),
  matchesPath({ "filter[gameMode]": "private,ranked", "filter[patchVersion]": PATCHES[0]! }),
  matchesPath({ "filter[playerIds]": listed(...PLAYER_IDS), "page[offset]": "3" }),
  matchesPath({ "filter[teamNames]": listed(...TAGS), "filter[playerNames]": listed(...NAMES) }),
];

const PLAYER_LISTS: string[] = [
  `/shards/${SHARD}/players`,
  ...NAMES.map(
    (name) => `/shards/${SHARD}/players?${query({ "filter[playerNames]": listed(name) })}`,
  ),
  `/shards/${SHARD}/players?${query({ "filter[playerNames]": listed(...NAMES) })}`,
  `/shards/${SHARD}/players?${query({ "filter[playerIds]": listed(...PLAYER_IDS.toReversed()) })}`,
];

const SHAPED: string[] = [
  matchesPath({ include: "" }),
  matchesPath({ include: "rosters.participants.player,rosters.team" }),
  matchesPath({ "fields[match]": "createdAt,rosters", "fields[player]": "name,stats" }),
];

/**
 * Everything that can be read: all pages in both directions, every match, every player, many
 * filters.
 */
export async function askEverything(world: World): Promise<Map<string, Raw>> {
  const seen = new Map<string, Raw>();
  for (const start of [matchesPath(), matchesPath({ sort: "-createdAt", "page[limit]": "2" })]) {
    const forward = await follow(world, start, "next");
    const back = await follow(world, forward.at(-1)![0], "prev");
    for (const [path, reply] of [...forward, ...back]) seen.set(path, reply);
  }
  const single = [
    ...MATCH_IDS.map((id) => `/shards/${SHARD}/matches/${id}`),
    ...PLAYER_IDS.map((id) => `/shards/${SHARD}/players/${id}`),
  ];
  for (const path of [...single, ...FILTERED, ...PLAYER_LISTS, ...SHAPED]) {
    seen.set(path, await ask(world, path));
  }
  return seen;
}

/** The differences between two servers, as text; empty if there are none. */
export function differences(one: Map<string, Raw>, other: Map<string, Raw>): string[] {
  const found: string[] = [];
  for (const path of new Set([...one.keys(), ...other.keys()])) {
    const [a, b] = [one.get(path), other.get(path)];
    if (!a || !b) found.push(`${path}: only one of them leads there`);
    else if (a.status !== b.status) found.push(`${path}: ${a.status} and ${b.status}`);
    // Error responses contain the request id.
    else if (a.status !== 200) continue;
    else if (!a.plain.equals(b.plain)) found.push(`${path}:\n${a.plain}\n${b.plain}`);
    else if (!Bun.deepEquals(a.tags, b.tags)) found.push(`${path}: tags ${a.tags} and ${b.tags}`);
  }
  return found;
}
