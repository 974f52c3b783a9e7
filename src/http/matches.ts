/** GET /shards/{shard}/matches and /shards/{shard}/matches/{id}. */

import { crc32 } from "node:zlib";
import { matchContent, restOf } from "../document/assemble.ts";
import { contentOf } from "../document/content.ts";
import { matchHash } from "../document/encoded-match.ts";
import { matchesLinks } from "../document/links.ts";
import { type Awaitable, after } from "../domain/awaitable.ts";
import { EARLIEST, formatTimestamp, LATEST } from "../domain/time.ts";
import {
  checkEmpty,
  isSearchable,
  matchFilters,
  notFound,
  readShapedQuery,
  type ShardRequest,
  type ShardResult,
  searchable,
  shapeOf,
  unpagedDocument,
} from "../endpoint/shard-request.ts";
import type { ValuesOf } from "../query/endpoint.ts";
import { MATCHES, PAGE_SIZE, SINGLE } from "../query/parameters.ts";
import type { Query } from "../query/parse-query.ts";
import type { Cursor, MatchesQuery, PageStart, ResolvedNames } from "../query/query.ts";
import { windowOf } from "../query/window.ts";
import type { Page, Reader, Selection } from "../store/store.ts";

export const getMatches = (request: ShardRequest): Awaitable<ShardResult> =>
  after(readShapedQuery(request, MATCHES), (given) => {
    const query = matchesQuery(given, request.now);
    const found = request.results.find(request, "matches", query.window, () =>
      findMatches(request, query),
    );
    return after(found, (page) => pageResult(request, query, page));
  });

function pageResult(
  request: ShardRequest,
  query: MatchesQuery,
  found: Awaited<ReturnType<typeof findMatches>>,
): ShardResult {
  const { content, matches, ends, isPastEnd, names } = found;
  if (matches.length === 0) checkEmpty(request, "match");
  const window = {
    start: formatTimestamp(query.window.start),
    end: formatTimestamp(query.window.end),
  };
  const pageStart = isPastEnd ? endOf(query) : query.pageStart;
  const { links, lasting } = matchesLinks(
    request.url,
    { ...query, pageStart },
    window.start,
    ends,
    names,
  );
  const document = { content, rest: restOf(links, { window }), lasting };
  return { document, records: matches.length, matches, tag: "collection" };
}

function matchesQuery(
  { values, given }: Query<typeof MATCHES.parameters>,
  now: number,
): MatchesQuery {
  return {
    window: windowOf(values["filter[createdAt-start]"], values["filter[createdAt-end]"], now),
    sort: values.sort ?? "createdAt",
    pageStart: pageStartOf(values),
    limit: values["page[limit]"] ?? PAGE_SIZE,
    filters: matchFilters(values),
    include: values.include,
    fields: values.fields,
    given,
  };
}

function pageStartOf(values: ValuesOf<typeof MATCHES.parameters>): PageStart {
  const { "page[after]": after, "page[before]": before, "page[offset]": offset = 0 } = values;
  if (after) return { from: "after", gap: after };
  return before ? { from: "before", gap: before } : { from: "offset", offset };
}

const findMatches = ({ reader, profile }: ShardRequest, query: MatchesQuery) =>
  after(readNamedPage(query, reader), ({ page, isPastEnd, names }) => {
    const { matches, edges, more, sequence } = page;
    return {
      content: contentOf(matchContent("list", page, query, profile.additions)),
      matches: matches.map(matchHash),
      ends: { edges, more, sequence },
      isPastEnd,
      names,
    };
  });

export const getMatch = (request: ShardRequest): Awaitable<ShardResult> =>
  after(readShapedQuery(request, SINGLE), (query) => {
    const { id, reader, profile } = request;
    return after(isSearchable(id) ? reader.match(id) : undefined, (bundle) => {
      if (!bundle) throw notFound("match");
      const content = contentOf(matchContent("single", bundle, shapeOf(query), profile.additions));
      const document = unpagedDocument(request, query, content);
      return { document, records: 1, matches: bundle.matches.map(matchHash), tag: "single" };
    });
  });

interface NamedPage {
  page: Page;
  isPastEnd: boolean;
  names: ResolvedNames | undefined;
}

/** It does not happen that often in a row. */
const MAX_READS = 10;

/**
 * A database reads each time in its latest state, so a rename between the names and the page would give a list that was
 * never right: both are read again then. Names that are the same afterwards were not changed in between only if there
 * was one commit at most. The state of a file stays the same during this.
 */
export function readNamedPage(query: MatchesQuery, reader: Reader): Awaitable<NamedPage> {
  const { playerNames, teamNames } = query.filters;
  if (playerNames || teamNames) return readResolvedPage(query, reader);
  return after(readPage(selectionOf(query, undefined), reader), (found) => ({
    ...found,
    names: undefined,
  }));
}

async function readResolvedPage(query: MatchesQuery, reader: Reader): Promise<NamedPage> {
  for (let reads = 1; ; reads++) {
    const before = await reader.lastCommit?.();
    const names = await resolveNames(query, reader);
    const found = { ...(await readPage(selectionOf(query, names), reader)), names };
    if (before === undefined || reads === MAX_READS) return found;
    const namesAfter = await resolveNames(query, reader);
    const after = (await reader.lastCommit?.()) ?? before;
    const isOneState = after === before || after === before + 1;
    if (isOneState && Bun.deepEquals(namesAfter, names)) return found;
  }
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
  const players = playerNames
    ? await reader.idsNamed("players", searchable(playerNames), since)
    : [];
  const teams = teamNames ? await reader.idsNamed("teams", searchable(teamNames), since) : [];
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
function readPage(
  selection: Selection,
  reader: Reader,
): Awaitable<{ page: Page; isPastEnd: boolean }> {
  const { pageStart } = selection;
  return after(reader.matches(selection), (found) => {
    const isPastEnd = !found.edges && pageStart.from === "offset" && pageStart.offset > 0;
    const page = isPastEnd ? reader.matches({ ...selection, pageStart: endOf(selection) }) : found;
    return after(page, (shown) => ({ page: shown, isPastEnd }));
  });
}

/**
 * The position after everything in any window, in the sort direction: it must not depend on the clock, because the
 * entity tag covers it. No id sorts before "-".
 */
function endOf({ sort }: Pick<MatchesQuery, "sort">): PageStart {
  const createdAt = sort === "createdAt" ? LATEST + 1 : EARLIEST;
  return { from: "after", gap: { createdAt, id: "-", side: "before" } };
}
