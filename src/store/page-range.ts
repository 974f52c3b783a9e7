/** Computes the key ranges that a page of matches is read from. */

import type { Gap } from "../query/query.ts";
import type { MatchKey, Selection } from "./store.ts";

/** `from` is inclusive, `to` is exclusive. */
export interface KeyRange {
  from: MatchKey;
  to: MatchKey;
}

export type Direction = "up" | "down";

/**
 * A page is scanned from one end of `ahead`; `behind` is the range on the other side of that end.
 */
export interface PageRange {
  direction: Direction;
  ahead: KeyRange;
  /** Undefined with an offset. */
  behind: KeyRange | undefined;
  skip: number;
  /** Whether the scan runs against the sort direction, so that the page must be reversed. */
  isReversed: boolean;
}

/** The selection without matches that were created before the prune cutoff. */
export const withoutPruned = (selection: Selection, prunedBefore: number): Selection =>
  selection.window.start >= prunedBefore
    ? selection
    : { ...selection, window: { ...selection.window, start: prunedBefore } };

export function pageRangeOf({ window, sort, pageStart }: Selection): PageRange {
  const forward: Direction = sort === "createdAt" ? "up" : "down";
  const whole: KeyRange = {
    from: { createdAt: window.start, id: "" },
    to: { createdAt: window.end + 1, id: "" },
  };
  if (pageStart.from === "offset") {
    const { offset } = pageStart;
    return { direction: forward, ahead: whole, behind: undefined, skip: offset, isReversed: false };
  }
  const gap = keyAt(pageStart.gap);
  const below: KeyRange = { from: whole.from, to: isLater(whole.to, gap) ? gap : whole.to };
  const above: KeyRange = { from: isLater(whole.from, gap) ? whole.from : gap, to: whole.to };
  const isReversed = pageStart.from === "before";
  const direction = isReversed === (forward === "up") ? "down" : "up";
  const [ahead, behind] = direction === "up" ? [above, below] : [below, above];
  return { direction, ahead, behind, skip: 0, isReversed };
}

/** Whether there are matches before and after the page. */
export function neighboursOf(
  { behind, skip, isReversed }: PageRange,
  found: { matches: number; hasMore: boolean; hasBehind: boolean },
): { before: boolean; after: boolean } {
  const isBehind = behind === undefined ? skip > 0 && found.matches > 0 : found.hasBehind;
  return isReversed
    ? { before: found.hasMore, after: isBehind }
    : { before: isBehind, after: found.hasMore };
}

export const opposite = (direction: Direction): Direction => (direction === "up" ? "down" : "up");

/**
 * The key right after a match. "!" sorts before every character of an id, so `id!` lies between an
 * id and the next one.
 */
const keyAfter = ({ createdAt, id }: MatchKey): MatchKey => ({ createdAt, id: `${id}!` });

/** The part of a range that follows a match. */
export const restOf = ({ from, to }: KeyRange, last: MatchKey, direction: Direction): KeyRange =>
  direction === "up" ? { from: keyAfter(last), to } : { from, to: last };

const keyAt = (gap: Gap): MatchKey =>
  gap.side === "before" ? { createdAt: gap.createdAt, id: gap.id } : keyAfter(gap);

const isLater = (a: MatchKey, b: MatchKey): boolean =>
  a.createdAt > b.createdAt || (a.createdAt === b.createdAt && a.id > b.id);
