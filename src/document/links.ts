/** The links of a response: absolute URIs that lead on from exactly this page. */

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
 * Links to other pages pin the window and what names stand for, so that a walk keeps to the matches
 * it began with, and name their place by a neighbour instead of a count, so that arrivals cannot
 * shift it. They carry the sequence of this page, so that the next is not read in an older state.
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
    // Better a link that can be followed than one that holds on to everybody.
    return link.length <= MAX_URL_LENGTH ? link : to(cursor);
  };
  const links: Links = { self: withQuery(address, query.given), first };
  const { start, end } = gapsAround(query, page);
  if (page.more.before && start) links.prev = at("page[before]", start);
  if (page.more.after && end) links.next = at("page[after]", end);
  return links;
}

/** The gaps on both sides of a page; those of an empty one are where it was asked for. */
function gapsAround(
  query: MatchesQuery,
  { edges }: Page,
): { start: Gap | undefined; end: Gap | undefined } {
  if (!edges) {
    const gap = query.place.from === "offset" ? undefined : query.place.gap;
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
