/** Leaderboards: the boards, the 28 days, and ranks. stored.ts reads the players in order. */

export const BOARDS = ["skill-tier", "ranked-wins", "win-rate", "win-streak"] as const;
export type Board = (typeof BOARDS)[number];

export const PERIODS = ["all", "28d"] as const;
export type Period = (typeof PERIODS)[number];

/** The boards that count the ranked matches of a period. The others show the present state of a player. */
export const RECENT_BOARDS = ["ranked-wins", "win-rate"] as const satisfies readonly Board[];

const DAY_MS = 86_400_000;
const RECENT_DAYS = 28;

/** Both ends are included, as in the windows of matches. */
export interface DayRange {
  start: number;
  end: number;
}

/**
 * The 28 days of UTC that end with the day of the newest match. They follow from the records, not from the clock, so
 * that the same records give the same boards.
 */
export function recentDays(newestMatch: number): DayRange {
  const end = (Math.floor(newestMatch / DAY_MS) + 1) * DAY_MS;
  return { start: end - RECENT_DAYS * DAY_MS, end: end - 1 };
}

export const isWithin = (time: number, range: DayRange | undefined): boolean =>
  range !== undefined && time >= range.start && time <= range.end;

/** What of a range is not in another one. Both are as long as each other, so that it is at most one range. */
export function without(
  range: DayRange | undefined,
  other: DayRange | undefined,
): DayRange | undefined {
  if (!range || !other || range.end < other.start || range.start > other.end) return range;
  if (range.start < other.start) return { start: range.start, end: other.start - 1 };
  if (range.end > other.end) return { start: other.end + 1, end: range.end };
  return undefined;
}

/** Where a page continues: after this score and player. */
export interface BoardPosition {
  score: number;
  id: string;
}
