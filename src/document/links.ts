/** Builds the links of a response, as absolute URLs. */

import type { BoardPosition } from "../domain/leaderboards.ts";
import { encodeBoardCursor } from "../query/board-cursor.ts";
import { encodeCursor } from "../query/cursor.ts";
import { encodeLogCursor } from "../query/log-cursor.ts";
import { MAX_RESOLVED_NAMES, MAX_URL_LENGTH } from "../query/parameters.ts";
import type {
  ChangesQuery,
  Cursor,
  Gap,
  GivenParameters,
  LeaderboardQuery,
  LogPosition,
  MatchesQuery,
  ResolvedNames,
} from "../query/query.ts";
import { writeQuery } from "../query/query-string.ts";
import type { Page } from "../store/store.ts";

export type Links = Record<string, string>;

const REPLACED: ReadonlySet<string> = new Set([
  "filter[createdAt-start]",
  "filter[createdAt-end]",
  "page[offset]",
  "page[after]",
  "page[before]",
]);

export function selfLink(address: string, given: GivenParameters): Links {
  return { self: withQuery(address, given) };
}

/** There is always a next page: it has the changes that are yet to come. */
export function changesLinks(address: string, { given }: ChangesQuery, end: LogPosition): Links {
  const kept = given.filter(([name]) => name !== "page[after]");
  const next = withQuery(address, [...kept, ["page[after]", encodeLogCursor(end)]]);
  return { self: withQuery(address, given), next };
}

/** The next page, if there is one, begins after a position. */
export function leaderboardLinks(
  address: string,
  { given }: LeaderboardQuery,
  next: BoardPosition | undefined,
): Links {
  const self = withQuery(address, given);
  if (!next) return { self };
  const kept = given.filter(([name]) => name !== "page[after]");
  return { self, next: withQuery(address, [...kept, ["page[after]", encodeBoardCursor(next)]]) };
}

/** What the links of a page depend on. */
export type PageEnds = Omit<Page, "matches" | "players" | "teams">;

/** The time window of a page, as timestamps. */
export type Window = Record<"start" | "end", string>;

/**
 * Links to other pages fix the time window and the players and teams that names resolve to, so that
 * paging stays within the original set of matches. They contain cursors instead of offsets, so that
 * new matches do not shift pages, and the sequence number of this page, so that a replica in an
 * older state does not serve the next one.
 */
export function matchesLinks(
  address: string,
  query: MatchesQuery,
  { start, end }: Window,
  page: PageEnds,
  resolvedNames: ResolvedNames | undefined,
): Links {
  const kept = writeQuery(query.given.filter(([name]) => !REPLACED.has(name)));
  // Brackets and colons are escaped here: escaping constant texts again for each link takes as long as the rest.
  const window = `filter%5BcreatedAt-start%5D=${escaped(start)}&filter%5BcreatedAt-end%5D=${escaped(end)}`;
  const first = `${address}?${kept === "" ? "" : `${kept}&`}${window}`;
  const { sequence } = page;
  const at = (name: "before" | "after", { createdAt, id, side }: Gap) => {
    const cursor = { createdAt, id, side, sequence };
    const to = (one: Cursor) => `${first}&page%5B${name}%5D=${encodeCursor(one)}`;
    const link = to(resolvedNames && isFew(resolvedNames) ? { ...cursor, resolvedNames } : cursor);
    // A link that is too long could not be followed.
    return link.length <= MAX_URL_LENGTH ? link : to(cursor);
  };
  const links: Links = { self: withQuery(address, query.given), first };
  const gaps = gapsAround(query, page);
  if (page.more.before && gaps.start) links.prev = at("before", gaps.start);
  if (page.more.after && gaps.end) links.next = at("after", gaps.end);
  return links;
}

/** The positions before and after a page. For an empty page, both are the requested position. */
function gapsAround(
  query: MatchesQuery,
  { edges }: PageEnds,
): { start: Gap | undefined; end: Gap | undefined } {
  if (!edges) {
    const gap = query.pageStart.from === "offset" ? undefined : query.pageStart.gap;
    return { start: gap, end: gap };
  }
  const [ahead, behind] =
    query.sort === "createdAt" ? (["after", "before"] as const) : (["before", "after"] as const);
  return {
    start: { ...edges.first, side: behind },
    end: { ...edges.last, side: ahead },
  };
}

/** Colons have fixed places: 2026-03-01T18:30:00Z. */
const escaped = (timestamp: string) =>
  `${timestamp.slice(0, 13)}%3A${timestamp.slice(14, 16)}%3A${timestamp.slice(17)}`;

const isFew = ({ players, teams }: ResolvedNames) =>
  players.length + teams.length <= MAX_RESOLVED_NAMES;

function withQuery(address: string, pairs: GivenParameters): string {
  return pairs.length === 0 ? address : `${address}?${writeQuery(pairs)}`;
}
