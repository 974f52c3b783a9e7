/** Verifies the counts of recent ranked matches. */

import { type RankedTally, recentDays } from "../domain/leaderboards.ts";
import type { StoredState } from "../store/store.ts";
import type { Context } from "./context.ts";
import { differences } from "./differences.ts";
import type { Expected } from "./expected.ts";

/**
 * In short steps; what seems wrong is then counted again in one state, because something may have been written since the
 * records were read.
 */
export async function verifyRecent(context: Context, expected: Expected): Promise<void> {
  const doubtful: string[] = [];
  const different = differences(
    context,
    (state, after, limit) => state.recentAfter(after, limit),
    expected.recent,
    isSameTally,
  );
  for await (const ids of different) doubtful.push(...ids);
  if (doubtful.length === 0) return;
  await context.survey(async (state) => {
    const { start, end } = recentDays((await state.newestServed()) ?? 0);
    const counted = await state.rankedBetween(start, end);
    for (const id of await wrongIn(state, doubtful, counted)) {
      context.note(
        "player_recent",
        id,
        `the recent ranked matches of player ${id} are counted wrong: leaderboards of the last 28 days are wrong`,
      );
    }
  });
}

const isSameTally = (stored: RankedTally | undefined, right: RankedTally | undefined): boolean =>
  stored?.played === right?.played && stored?.wins === right?.wins;

async function wrongIn(
  state: StoredState,
  ids: string[],
  expected: ReadonlyMap<string, RankedTally>,
): Promise<string[]> {
  const stored = await state.recentOf(ids);
  return ids.filter((id) => !isSameTally(stored.get(id), expected.get(id)));
}
