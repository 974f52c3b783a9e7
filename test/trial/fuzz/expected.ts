/**
 * What the documentation promises for a request: its status, its problems, and for matches and players its data. The
 * stages are those of docs/errors.md, each as simple as possible, and none shares code with the server.
 */

import { ROUTES } from "../../../src/http/routes.ts";
import { written } from "../../model/pages.ts";
import { type Answer, projected, type Thing } from "../../model/record.ts";
import type { Start, State } from "../../model/state.ts";
import { BOARDS, decoded, type Meaning, type Problems, readQuery } from "./query-rules.ts";
import { headerOf, type PlainRequest, writeRequest } from "./request-text.ts";
import { type FuzzWorld, NOW } from "./world.ts";

export interface Expectation {
  /** Usually one; two if it depends on what the reference does not know. */
  statuses: readonly number[];
  /** What an error document lists. */
  problems?: Problems;
  /** The primary data, if the reference knows it. */
  data?: unknown;
  included?: Thing[];
  /** Of a list whose data are known. */
  meta?: unknown;
  isEmptyList?: boolean;
}

const problem = (status: number, code: string, source = ""): Expectation => ({
  statuses: [status],
  problems: new Set([`${code} ${source}`]),
});

const PROBED = ["/healthz", "/readyz"];
const OPEN = ["/status", "/openapi.json"];
/** The search in all shards takes the parameters of that in one. */
const ALL_SHARDS = "/player-names";
/** Endpoints of features that are removed. */
const REMOVED = ["played-with", "names", "leaderboards", "changes", "heroes"].filter(
  (name) => !ROUTES.some((route) => route.access === "key" && route.takes.name === name),
);
const KNOWN_METHODS = ["POST", "PUT", "PATCH", "DELETE"];

/** Undefined if the documentation leaves it open, e.g. how the runtime reads a strange path. */
export function expected(
  request: PlainRequest,
  { references, words }: Pick<FuzzWorld, "references" | "words">,
  key: string,
  host: string,
): Expectation | undefined {
  const { method } = request;
  const target = Buffer.from(request.target, "latin1").toString().split("#")[0]!;
  const question = target.indexOf("?");
  const path = (question < 0 ? target : target.slice(0, question)).replace(/(.)\/$/, "$1");
  const query = question < 0 ? "" : target.slice(question + 1);
  if (headerOf(request, "host") !== host) return undefined;
  // The runtime removes dot segments, and replaces backslashes; a body may be refused.
  if (!/^\/[\w/%!$&'()*+,;=:@.~-]*$/.test(path) || path.startsWith("//")) return undefined;
  if (path.split("/").some((one) => /^(\.|%2e)+$/i.test(one))) return undefined;
  // What is longer is refused by the runtime.
  if (writeRequest(request).length > 15_000) return undefined;
  if (request.headers.some(([name]) => /^(content-length|transfer-|expect|upgrade)/.test(name))) {
    return undefined;
  }
  // The runtime escapes other characters, which makes the URL longer.
  const escaped = request.target.replaceAll(/[^\x20-\x7e]/g, "%00");
  if (escaped.length + host.length > 8192) {
    return isAscii(target) && target.length > 8192 ? problem(414, "uri-too-long") : undefined;
  }
  const [, first, shard = "", collection, id, rest, ...more] = path.split("/");
  if (["", "portal", "robots.txt", "favicon.ico"].includes(first!)) return undefined;
  const route = routeOf(path, [first!, shard, collection, id, rest, ...more]);
  if (route === undefined || REMOVED.includes(route)) return problem(404, "unknown-route");
  if (method === "OPTIONS") return { statuses: [204] };
  if (KNOWN_METHODS.includes(method)) return problem(405, "method-not-allowed");
  if (method !== "GET" && method !== "HEAD") return undefined;
  if (route === "probed") return { statuses: [200] };
  const bare = () => {
    const read = readQuery(query, { endpoint: undefined, now: NOW, board: "", words });
    if (!read || read.problems.size === 0) return read && { statuses: [200] };
    return { statuses: [400], problems: read.problems };
  };
  if (route === "open") return bare();
  if (!hasKey(request, key)) return problem(401, "unauthorized", "Authorization");
  if (route === "usage") return bare();
  const accept = headerOf(request, "accept");
  if (accept?.toLowerCase().includes("text/event-stream")) return undefined;
  if (!isAccepted(accept)) return problem(406, "not-acceptable", "Accept");
  const [anyOne] = references.values();
  const reference = path === ALL_SHARDS ? anyOne : references.get(decodedSegment(shard));
  if (!reference) return problem(404, "unknown-shard");
  const board = route === "leaderboards" ? decodedSegment(id!) : collection!;
  if (route === "leaderboards" && !BOARDS.includes(board)) return problem(404, "not-found");
  const read = readQuery(query, { endpoint: route, now: NOW, board, words });
  if (!read) return undefined;
  if (read.problems.size > 0) return { statuses: [400], problems: read.problems };
  const found = recordsOf(route, collection!, decodedSegment(id ?? ""), read.meaning, reference);
  const known = headerOf(request, "if-none-match");
  if (known === undefined || found.problems) return found;
  if (known === "*") {
    return { statuses: found.statuses.map((status) => (status === 200 ? 304 : status)) };
  }
  return known.includes("*") ? undefined : found;
}

const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);

function routeOf(
  path: string,
  [first, shard, collection, id, rest, ...more]: (string | undefined)[],
): string | "open" | "probed" | "usage" | undefined {
  if (PROBED.includes(path)) return "probed";
  if (OPEN.includes(path)) return "open";
  if (path === "/usage") return "usage";
  if (path === ALL_SHARDS) return "names";
  if (first !== "shards" || shard === "" || more.length > 0 || id === "") return undefined;
  if (rest !== undefined) {
    return collection === "players" && rest === "played-with" ? "played-with" : undefined;
  }
  if (id === undefined) {
    const lists = { matches: 1, players: 1, changes: 1, heroes: 1 };
    if (collection === "player-names") return "names";
    return collection !== undefined && Object.hasOwn(lists, collection)
      ? (collection as string)
      : undefined;
  }
  if (collection === "leaderboards") return "leaderboards";
  return collection === "matches" || collection === "players" ? "single" : undefined;
}

/** Nothing has an id with an invalid escape. A plus is a plus in a path. */
const decodedSegment = (text: string) => decoded(text.replaceAll("+", "%2B")) ?? text;

function hasKey(request: PlainRequest, key: string): boolean {
  const [, scheme, token] =
    /^(\w+) {1,10}(\S+)$/.exec(headerOf(request, "authorization") ?? "") ?? [];
  return scheme?.toLowerCase() === "bearer" && token === key;
}

/** A range counts if it is the media type with no other parameters than profile, then q, which is not 0. */
function isAccepted(header = ""): boolean {
  const outside = (text: string, separator: string) =>
    text.match(new RegExp(`(?:"(?:[^"\\\\]|\\\\.)*"?|[^"${separator}])+`, "gs")) ?? [];
  return outside(header, ",").some((range) => {
    const [type = "", ...written] = outside(range, ";").map((part) => part.trim().toLowerCase());
    if (type !== "application/vnd.api+json") return false;
    const parameters = written.filter((one) => one !== "");
    const q = parameters.findIndex((one) => /^q\s*=/.test(one));
    const own = q < 0 ? parameters : parameters.slice(0, q);
    if (!own.every((one) => /^profile\s*=/.test(one))) return false;
    if (parameters.some((one) => /^ext\s*=/.test(one))) return false;
    const weight = q < 0 ? "1" : parameters[q]!.replace(/^.*?=/, "").trim();
    return Number(weight) > 0 && Number(weight) <= 1;
  });
}

function recordsOf(
  route: string,
  collection: string,
  id: string,
  meaning: Meaning,
  reference: State,
): Expectation {
  switch (route) {
    case "matches":
      return matchList(meaning, reference);
    case "players":
      return playerList(meaning, reference);
    case "single":
      return collection === "matches"
        ? oneMatch(id, meaning, reference)
        : onePlayer(id, meaning, reference);
    case "played-with":
      return reference.player(id) ? { statuses: [200] } : problem(404, "not-found");
    case "changes":
      return { statuses: meaning.hasOtherCursor ? [200, 410] : [200] };
    default:
      return { statuses: [200] };
  }
}

function matchList(meaning: Meaning, reference: State): Expectation {
  const { window, filters, sort, after, before, offset, limit = 5, include, fields } = meaning;
  const gap = after ?? before;
  const start: Start = gap ? { from: after ? "after" : "before", gap } : { from: "offset", offset };
  const selection = reference.resolve(filters, { window, isDescending: sort === "-createdAt" });
  const { ids } = reference.page(selection, start, limit);
  const { data, included } = projected(reference.document(ids), include, fields);
  const meta = { window: { start: written(window.start), end: written(window.end) } };
  return { statuses: [200], data, included, meta, isEmptyList: ids.length === 0 };
}

function playerList(meaning: Meaning, reference: State): Expectation {
  const { limit = 6, fields, filters } = meaning;
  const players = reference.players(filters).slice(0, limit);
  const { data } = projected({ data: players, included: [] }, undefined, fields);
  // Which of the players with equally recent matches come first is not promised.
  const isOrdered = filters.playerIds !== undefined || filters.playerNames !== undefined;
  return {
    statuses: [200],
    ...(isOrdered ? { data, meta: reference.omitted(filters, limit) } : {}),
    isEmptyList: players.length === 0,
  };
}

function oneMatch(id: string, meaning: Meaning, reference: State): Expectation {
  if (!reference.servedIds.includes(id)) return problem(404, "not-found");
  return single(reference.document([id]), meaning);
}

function onePlayer(id: string, meaning: Meaning, reference: State): Expectation {
  const player = reference.player(id);
  if (!player) return problem(404, "not-found");
  return single({ data: [player], included: [] }, { ...meaning, include: undefined });
}

function single(whole: Answer, { include, fields }: Meaning): Expectation {
  const { data, included } = projected(whole, include, fields);
  return { statuses: [200], data: data[0], included };
}
