/** GET /shards/{shard}/matches and /shards/{shard}/matches/{id}. */

import { crc32 } from "node:zlib";
import { matchesLinks, type Window } from "../document/links.ts";
import { matchContent, matchListContent, restOf } from "../document/stitch.ts";
import { formatTimestamp } from "../domain/time.ts";
import { parseMatchesQuery, parseSingleQuery } from "../query/parse-query.ts";
import type { Cursor, Gap, MatchesQuery, PageStart, ResolvedNames } from "../query/query.ts";
import type { Page, Reader, Selection } from "../store/store.ts";
import {
  checkEmpty,
  extraVocabulary,
  isSearchable,
  notFound,
  parseContext,
  parseQuery,
  type ShardRequest,
  type ShardResult,
  searchable,
  unpagedDocument,
} from "./shard-request.ts";

export async function getMatches(request: ShardRequest): Promise<ShardResult> {
  const { reader, url, profile } = request;
  const context = parseContext(request, await extraVocabulary(request));
  const query = parseQuery(parseMatchesQuery, request, "matches", context);
  const { playerNames, teamNames } = query.filters;
  const names = playerNames || teamNames ? await resolveNames(query, reader) : undefined;
  const { page, pageStart } = await readPage(selectionOf(query, names), reader);
  request.watch.lap("store");
  const { matches } = page;
  if (matches.length === 0) checkEmpty(request, "match");
  const content = matchListContent(page, query, profile.additions);
  const window = windowOf(query);
  const links = matchesLinks(url, { ...query, pageStart }, window, page, names);
  const rest = restOf(links, { window });
  return { document: { content, rest }, records: matches.length, matches, tag: "weak" };
}

export async function getMatch(request: ShardRequest): Promise<ShardResult> {
  const context = parseContext(request, await extraVocabulary(request));
  const query = parseQuery(parseSingleQuery, request, "single", context);
  const bundle = isSearchable(request.id) ? await request.reader.match(request.id) : undefined;
  request.watch.lap("store");
  if (!bundle) throw notFound("match");
  const content = matchContent(bundle, query, request.profile.additions);
  const document = unpagedDocument(request, query, content);
  return { document, records: 1, matches: bundle.matches, tag: "strong" };
}

/**
 * Resolves player names and team tags to ids. A later page keeps the ids that were resolved for the first
 * page.
 */
async function resolveNames(
  { filters: { playerNames, teamNames }, pageStart }: MatchesQuery,
  reader: Reader,
): Promise<ResolvedNames> {
  const names = crc32(JSON.stringify([playerNames, teamNames]));
  const known = cursorOf(pageStart)?.resolvedNames;
  if (known?.names === names) return known;
  const since = cursorOf(pageStart)?.sequence;
  const players = playerNames ? await reader.playerIdsNamed(searchable(playerNames), since) : [];
  const teams = teamNames ? await reader.teamIdsNamed(searchable(teamNames), since) : [];
  return { names, players, teams };
}

const cursorOf = (pageStart: PageStart): Cursor | undefined =>
  pageStart.from === "offset" ? undefined : pageStart.gap;

function selectionOf(query: MatchesQuery, names: ResolvedNames | undefined): Selection {
  const { filters, window, sort, pageStart, limit } = query;
  return {
    window,
    sort,
    pageStart,
    limit,
    players: [
      ...(filters.playerIds ? [searchable(filters.playerIds)] : []),
      ...(filters.playerNames && names ? [names.players] : []),
    ],
    teams: filters.teamNames && names ? [names.teams] : [],
    gameModes: filters.gameModes,
    patchVersions: filters.patchVersions && searchable(filters.patchVersions),
    since: cursorOf(pageStart)?.sequence,
  };
}

/** An offset past the end returns the empty page right after the last match, so that its links lead back. */
async function readPage(
  selection: Selection,
  reader: Reader,
): Promise<{ page: Page; pageStart: Selection["pageStart"] }> {
  const { pageStart } = selection;
  const page = await reader.matches(selection);
  if (page.edges || pageStart.from !== "offset" || pageStart.offset === 0)
    return { page, pageStart };
  const end = { from: "after", gap: endOf(selection) } as const;
  return { page: await reader.matches({ ...selection, pageStart: end }), pageStart: end };
}

/** The position after everything in the window, in the sort direction. No id sorts before "-". */
function endOf({ window, sort }: Selection): Gap {
  const createdAt = sort === "createdAt" ? window.end + 1 : window.start;
  return { createdAt, id: "-", side: "before" };
}

function windowOf({ window }: MatchesQuery): Window {
  return { start: formatTimestamp(window.start), end: formatTimestamp(window.end) };
}
