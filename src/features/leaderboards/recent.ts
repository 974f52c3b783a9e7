/** Keeps the counts of recent ranked matches, which leaderboards are read from, when served matches are added or removed. */

import { RANKED_MODE } from "../../domain/modes.ts";
import type { RankedTally } from "../../domain/rank.ts";
import type { Transaction } from "../../store/store.ts";
import type { DerivedChange, Outlined } from "../feature.ts";
import { addTally, rankedBetween } from "./ranked-matches.ts";
import { type DayRange, isWithin, recentDays, without } from "./ranking.ts";
import { changeRecent, clearRecent } from "./stored.ts";

/** Of the matches that stay, only those are read whose days enter the 28 days, or leave them. */
export async function updateRecent(
  transaction: Transaction,
  { came: coming, left: gone, newestBefore }: DerivedChange,
): Promise<void> {
  const newestLeft = gone.length === 0 ? newestBefore : await transaction.newestServed();
  const newest = coming.reduce(
    (time, { outline }) => Math.max(time ?? outline.createdAt, outline.createdAt),
    newestLeft,
  );
  const before = newestBefore === undefined ? undefined : recentDays(newestBefore);
  const now = newest === undefined ? undefined : recentDays(newest);
  const entering = without(now, before);
  const leaving = without(before, now);
  const changes = new Map<string, RankedTally>();
  if (before && leaving === before) await transaction.run(clearRecent);
  else {
    for (const record of gone) if (isRecent(record, before)) addMatch(changes, record, -1);
    if (leaving) await addStored(transaction, changes, leaving, -1);
  }
  if (entering && newestLeft !== undefined) await addStored(transaction, changes, entering, 1);
  for (const record of coming) if (isRecent(record, now)) addMatch(changes, record, 1);
  for (const [id, { played, wins }] of changes) {
    if (played === 0 && wins === 0) changes.delete(id);
  }
  await transaction.run(() => changeRecent(changes));
}

/** Counts the recent ranked matches of a shard that is rebuilt, when all players are there. */
export async function countRecent(transaction: Transaction): Promise<void> {
  const newest = await transaction.newestServed();
  await transaction.run(clearRecent);
  if (newest === undefined) return;
  const { start, end } = recentDays(newest);
  const tallies = await transaction.run(() => rankedBetween(start, end));
  await transaction.run(() => changeRecent(tallies));
}

const isRecent = ({ outline }: Outlined, days: DayRange | undefined) =>
  outline.gameMode === RANKED_MODE && isWithin(outline.createdAt, days);

function addMatch(tallies: Map<string, RankedTally>, { outline }: Outlined, times: 1 | -1): void {
  for (const { id, part } of outline.players) {
    if (part) addTally(tallies, id, { played: 1, wins: part.won ? 1 : 0 }, times);
  }
}

async function addStored(
  transaction: Transaction,
  tallies: Map<string, RankedTally>,
  { start, end }: DayRange,
  times: 1 | -1,
): Promise<void> {
  const stored = await transaction.run(() => rankedBetween(start, end));
  for (const [id, tally] of stored) addTally(tallies, id, tally, times);
}
