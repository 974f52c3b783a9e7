/** In charge of places in the order of matches, (createdAt, id), and of ranges between two of them. */

import type { Gap } from "../query/query.ts";
import type { Selection } from "./store.ts";

export type Position = readonly [createdAt: number, id: string];

/** `from` is included, `to` is not. */
export interface Range {
  from: Position;
  to: Position;
}

export type Direction = "up" | "down";

/** Where a page lies: the way it is walked from one end of a range, and what is behind that end. */
export interface Course {
  direction: Direction;
  ahead: Range;
  /** Undefined at an offset. */
  behind: Range | undefined;
  skip: number;
  /** Whether the page is walked against the sort direction, and so is to be turned round. */
  isReversed: boolean;
}

export function courseOf({ window, sort, place }: Selection): Course {
  const forward: Direction = sort === "createdAt" ? "up" : "down";
  const whole: Range = { from: [window.start, ""], to: [window.end + 1, ""] };
  if (place.from === "offset") {
    const { offset } = place;
    return { direction: forward, ahead: whole, behind: undefined, skip: offset, isReversed: false };
  }
  const gap = placeAt(place.gap);
  const below: Range = { from: whole.from, to: earlier(whole.to, gap) };
  const above: Range = { from: later(whole.from, gap), to: whole.to };
  const isReversed = place.from === "before";
  const direction = isReversed === (forward === "up") ? "down" : "up";
  const [ahead, behind] = direction === "up" ? [above, below] : [below, above];
  return { direction, ahead, behind, skip: 0, isReversed };
}

/** What a page says about its neighbours, from what was found along its course. */
export function moreOf(
  { behind, skip, isReversed }: Course,
  found: { matches: number; hasMore: boolean; hasBehind: boolean },
): { before: boolean; after: boolean } {
  const isBehind = behind === undefined ? skip > 0 && found.matches > 0 : found.hasBehind;
  return isReversed
    ? { before: found.hasMore, after: isBehind }
    : { before: isBehind, after: found.hasMore };
}

export const opposite = (direction: Direction): Direction => (direction === "up" ? "down" : "up");

/**
 * The place right before or right after a match. No id contains "!", and it sorts before every
 * character an id may contain, so `id!` lies between an id and the next one.
 */
function placeAt(gap: Gap): Position {
  return [gap.createdAt, gap.side === "before" ? gap.id : `${gap.id}!`];
}

function later(a: Position, b: Position): Position {
  return a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]) ? a : b;
}

function earlier(a: Position, b: Position): Position {
  return later(a, b) === a ? b : a;
}
