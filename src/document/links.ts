/** Builds the links of a response, as absolute URLs. */

import { encodeCursor } from "../query/cursor.ts";
import type { Endpoint } from "../query/endpoint.ts";
import { MAX_RESOLVED_NAMES, MAX_URL_LENGTH } from "../query/parameters.ts";
import type { Cursor, Gap, GivenParameters, MatchesQuery, ResolvedNames } from "../query/query.ts";
import { writeQuery } from "../query/query-string.ts";
import type { Page } from "../store/store.ts";

export type Links = Record<string, string>;

const POSITIONS: ReadonlySet<string> = new Set(["page[offset]", "page[after]", "page[before]"]);

/** At most this many characters of a link are the start of the window, and a cursor without resolved names. */
const START_LENGTH = 60;
const CURSOR_LENGTH = 150;

/**
 * The length of the longest link that a response to these parameters can have, whatever is on the page: a walk that has
 * begun must not end at a link that is too long.
 */
export function linkLength(
  address: string,
  given: GivenParameters,
  { parameters }: Endpoint,
): number {
  const self = withQuery(address, given).length;
  if (!("page[after]" in parameters)) return self;
  const kept = given.filter(([name]) => !POSITIONS.has(name));
  const start = START in parameters && !kept.some(isStart) ? START_LENGTH : 0;
  return Math.max(self, withQuery(address, kept).length + start + CURSOR_LENGTH);
}

export function selfLink(address: string, given: GivenParameters): Links {
  return { self: withQuery(address, given) };
}

/** The next page, if there is one, begins at a cursor. */
export function nextLinks(address: string, given: GivenParameters, cursor?: string): Links {
  const self = withQuery(address, given);
  if (cursor === undefined) return { self };
  const kept = given.filter(([name]) => name !== "page[after]");
  return { self, next: withQuery(address, [...kept, ["page[after]", cursor]]) };
}

/** What the links of a page depend on. */
export interface PageEnds extends Pick<Page, "edges" | "more"> {
  sequence: number | undefined;
}

/**
 * Links to other pages fix the start of the time window and the players and teams that names resolve to, so that paging
 * stays within the original set of matches. They contain cursors instead of offsets, so that new matches do not shift
 * pages, and the sequence number of this page, so that a replica in an older state does not serve the next one.
 *
 * `lasting` is what of them does not move with the clock or with the state of a replica.
 */
export function matchesLinks(
  address: string,
  query: MatchesQuery,
  /** The start of the window, as a timestamp. */
  start: string,
  page: PageEnds,
  resolvedNames: ResolvedNames | undefined,
): { links: Links; lasting: string } {
  const { given } = query;
  const kept = given.filter(([name]) => !POSITIONS.has(name));
  const self = withQuery(address, given);
  const first = withQuery(address, kept.filter(isNotLimit));
  let others = `${address}?${writeQuery(kept)}`;
  if (kept.length > 0) others += "&";
  // Brackets and colons are escaped here: escaping constant texts again for each link takes as long as the rest.
  if (!kept.some(isStart)) others += `filter%5BcreatedAt-start%5D=${escaped(start)}&`;
  const { sequence } = page;
  const at = (name: "before" | "after", { createdAt, id, side }: Gap) => {
    const cursor = { createdAt, id, side, sequence };
    const to = (one: Cursor) => `${others}page%5B${name}%5D=${encodeCursor(one)}`;
    const link = to(resolvedNames && isFew(resolvedNames) ? { ...cursor, resolvedNames } : cursor);
    // A link that is too long could not be followed.
    return link.length <= MAX_URL_LENGTH ? link : to(cursor);
  };
  const links: Links = { self, first };
  const gaps = gapsAround(query, page);
  const [prev, next] = [page.more.before && gaps.start, page.more.after && gaps.end];
  if (prev) links.prev = at("before", prev);
  if (next) links.next = at("after", next);
  return { links, lasting: `${self} ${JSON.stringify([prev, next, resolvedNames])}` };
}

const START = "filter[createdAt-start]";
const isStart = ([name]: GivenParameters[number]) => name === START;
const isNotLimit = ([name]: GivenParameters[number]) => name !== "page[limit]";

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
