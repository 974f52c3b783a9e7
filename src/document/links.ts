/** Builds the links of a response, as absolute URLs. */

import { formatTimestamp } from "../domain/time.ts";
import { encodeCursor } from "../query/cursor.ts";
import { MAX_RESOLVED_NAMES, MAX_URL_LENGTH } from "../query/parameters.ts";
import type { Cursor, Gap, GivenParameters, MatchesQuery, ResolvedNames } from "../query/query.ts";
import { writeQuery } from "../query/query-string.ts";
import type { Page } from "../store/store.ts";

export type Links = Record<string, string>;

const WINDOW_START = "filter[createdAt-start]";
const WINDOW_END = "filter[createdAt-end]";
const REPLACED: ReadonlySet<string> = new Set([
  WINDOW_START,
  WINDOW_END,
  "page[offset]",
  "page[after]",
  "page[before]",
]);

export function selfLink(address: string, given: GivenParameters): Links {
  return { self: withQuery(address, given) };
}

/**
 * Links to other pages fix the time window and the players and teams that names resolve to, so that
 * paging stays within the original set of matches. They contain cursors instead of offsets, so that
 * new matches do not shift pages, and the sequence number of this page, so that a replica in an
 * older state does not serve the next one.
 */
export function matchesLinks(
  address: string,
  query: MatchesQuery,
  page: Page,
  resolvedNames: ResolvedNames | undefined,
): Links {
  const first = withQuery(address, [
    ...query.given.filter(([name]) => !REPLACED.has(name)),
    [WINDOW_START, formatTimestamp(query.window.start)],
    [WINDOW_END, formatTimestamp(query.window.end)],
  ]);
  const { sequence } = page;
  const at = (name: string, { createdAt, id, side }: Gap) => {
    const cursor = { createdAt, id, side, sequence };
    const to = (one: Cursor) => `${first}&${writeQuery([[name, encodeCursor(one)]])}`;
    const link = to(resolvedNames && isFew(resolvedNames) ? { ...cursor, resolvedNames } : cursor);
    // A link that is too long could not be followed.
    return link.length <= MAX_URL_LENGTH ? link : to(cursor);
  };
  const links: Links = { self: withQuery(address, query.given), first };
  const { start, end } = gapsAround(query, page);
  if (page.more.before && start) links.prev = at("page[before]", start);
  if (page.more.after && end) links.next = at("page[after]", end);
  return links;
}

/** The positions before and after a page. For an empty page, both are the requested position. */
function gapsAround(
  query: MatchesQuery,
  { edges }: Page,
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

const isFew = ({ players, teams }: ResolvedNames) =>
  players.length + teams.length <= MAX_RESOLVED_NAMES;

function withQuery(address: string, pairs: GivenParameters): string {
  return pairs.length === 0 ? address : `${address}?${writeQuery(pairs)}`;
}
