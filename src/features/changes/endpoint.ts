/** GET /shards/{shard}/changes: as pages, and as a stream of events. */

import { limitId } from "../../access/key-lookup.ts";
import { restOf } from "../../document/assemble.ts";
import { jsonContent } from "../../document/content.ts";
import { nextLinks } from "../../document/links.ts";
import { type ApiError, apiError } from "../../endpoint/errors.ts";
import {
  matchFilters,
  readQuery,
  type ShardRequest,
  type ShardResult,
  searchable,
} from "../../endpoint/shard-request.ts";
import type { LogStart, MatchFilters } from "../../query/query.ts";
import { readFollowStart, readLogEnds } from "../../store/core/change-log.ts";
import type { ChangeBatch, LogPosition, Reader } from "../../store/store.ts";
import { decodeLogCursor, encodeLogCursor } from "./cursor.ts";
import { MAX_EXAMINED } from "./feed.ts";
import { type ChangeFilter, isWanted, wantsAll } from "./filter.ts";
import { CHANGES, DEFAULT_CHANGES } from "./parameters.ts";
import { changeResource } from "./resource.ts";
import { feedOf } from "./running.ts";

export async function getChanges(request: ShardRequest): Promise<ShardResult> {
  const { values, given } = readQuery(request, CHANGES);
  const { "page[after]": after, "page[limit]": limit = DEFAULT_CHANGES } = values;
  const filter = await resolveFilter(matchFilters(values), request.reader);
  const start = await positionOf(after, request);
  // Without a cursor, the response is about the cursor alone.
  const page =
    after === undefined
      ? { changes: [], end: start }
      : await readPage(request, limit, filter, start);
  const content = jsonContent(page.changes.map(changeResource));
  const rest = restOf(
    nextLinks(request.url, given, encodeLogCursor(page.end)),
    request.profile.meta,
  );
  return { document: { content, rest }, records: 0, tag: "collection" };
}

/** The body of the response; null for HEAD. */
export async function streamChanges(
  request: ShardRequest,
): Promise<ReadableStream<Uint8Array> | null> {
  const { requestId, raw, shard, key, reader } = request;
  const feed = feedOf(request);
  const { id, rest } = takeLastEventId(request.query);
  const { values } = readQuery({ ...request, query: rest }, CHANGES);
  const filter = await resolveFilter(matchFilters(values), reader);
  const last = lastEventId(raw.headers.get("last-event-id"), { header: "Last-Event-ID" });
  const start = await positionOf(
    last ?? lastEventId(id, { parameter: LAST_EVENT_ID }) ?? values["page[after]"],
    request,
  );
  if ((await reader.changes(start, 1)) === undefined) throw cursorExpired();
  if (raw.method === "HEAD") return null;
  const { streams } = key.limits;
  if (!feed.limits.open(limitId(key), streams)) {
    throw apiError(
      "too-many-streams",
      `${key.limitedBy === undefined ? "This key" : "Your network"} has reached its limit of open streams (${streams}). Close one, or follow several players with one stream and a filter.`,
      { retryAfter: 10 },
    );
  }
  feed.keepOpen(raw, 0);
  return feed.openStream({
    requestId,
    shard,
    key,
    start,
    filter,
    // A visitor's stream may outlast the token: the limits of the address do not end with it.
    currentKey: () => (key.limitedBy === undefined ? feed.currentKey(raw, shard) : key),
    onEnd() {
      feed.limits.close(limitId(key));
      // A client that reads nothing must not keep the connection.
      feed.keepOpen(raw, feed.idleSeconds);
    },
  });
}

/** Libraries for browsers send the id of the last event in the URL, because a header needs a preflight. */
const LAST_EVENT_ID = "lastEventId";

/** Only streams have it, so the parser does not know it. */
function takeLastEventId(query: string): { id: string | null; rest: string } {
  const parts = query.split("&");
  const at = parts.findIndex((part) => part.startsWith(`${LAST_EVENT_ID}=`));
  if (at < 0) return { id: null, rest: query };
  const id = new URLSearchParams(parts[at]).get(LAST_EVENT_ID);
  return { id, rest: parts.toSpliced(at, 1).join("&") };
}

/** Clients that reconnect by themselves send it, with the URL they began with. */
function lastEventId(
  id: string | null,
  source: { header: string } | { parameter: string },
): LogPosition | undefined {
  if (id === null || id === "") return undefined;
  const position = decodeLogCursor(id);
  if (position) return position;
  const name = "header" in source ? `The header ${source.header}` : source.parameter;
  throw apiError(
    "invalid-cursor",
    `${name} must be the id of an event of this stream, unchanged. Omit it to use page[after].`,
    { source },
  );
}

async function resolveFilter(
  { playerIds, playerNames, teamNames, gameModes, patchVersions }: MatchFilters,
  reader: Reader,
): Promise<ChangeFilter> {
  const named = playerNames && (await reader.idsNamed("players", searchable(playerNames)));
  const teams = teamNames && (await reader.idsNamed("teams", searchable(teamNames)));
  return {
    players: [playerIds, named].flatMap((ids) => (ids ? [new Set(ids)] : [])),
    teams: teams ? [new Set(teams)] : [],
    gameModes: gameModes && new Set(gameModes),
    patchVersions: patchVersions && new Set(patchVersions),
  };
}

async function positionOf(
  start: LogStart | undefined,
  { reader, now }: ShardRequest,
): Promise<LogPosition> {
  if (typeof start === "object") return start;
  if (start === "oldest") return (await reader.read(readLogEnds)).beginning;
  return reader.read(() => readFollowStart(now));
}

/** The changes that are wanted, as many as fit on the page and as the key may read in this minute. */
async function readPage(
  request: ShardRequest,
  limit: number,
  filter: ChangeFilter,
  start: LogPosition,
): Promise<Pick<ChangeBatch, "changes" | "end">> {
  const examined = wantsAll(filter) ? limit : MAX_EXAMINED;
  const batch = await request.reader.changes(start, examined);
  if (!batch) throw cursorExpired();
  const wanted = batch.changes.filter((change) => isWanted(change, filter));
  const most = Math.min(limit, wanted.length);
  const { key } = request;
  const granted = feedOf(request).limits.take(limitId(key), most, key.limits.changesPerMinute);
  if (granted === wanted.length) return { changes: wanted, end: batch.end };
  const changes = wanted.slice(0, granted);
  return { changes, end: changes.at(-1)?.position ?? start };
}

function cursorExpired(): ApiError {
  return apiError(
    "cursor-expired",
    "This cursor is not in the change log: changes are kept for 7 days, and a shard that was restored has a new log. Request /changes without a cursor, read /matches again, delete what it does not list, and go on from links.next.",
  );
}
