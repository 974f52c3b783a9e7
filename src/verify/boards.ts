/** Verifies the counts of recent ranked matches against the lists of matches, which are verified with the records. */

import { recentDays } from "../domain/leaderboards.ts";
import type { StoredState } from "../store/store.ts";
import type { Context } from "./context.ts";

const BATCH = 250;

/** Every player has the right count, and every count has a player. Each step compares within one state. */
export async function verifyRecent(context: Context): Promise<void> {
  await inBatches(context, (state, after, size) => state.namedIds("players", after, size));
  await inBatches(context, async (state, after, size) =>
    (await state.recentAfter(after, size)).map(([id]) => id),
  );
}

async function inBatches(
  { note, step, rows }: Context,
  idsAfter: (state: StoredState, after: string, size: number) => PromiseLike<string[]> | string[],
): Promise<void> {
  const size = Math.min(BATCH, rows);
  for (let after = "", isOver = false; !isOver; ) {
    await step(async (state) => {
      const ids = await idsAfter(state, after, size);
      for (const id of await wrongIn(state, ids)) {
        note(
          "player_recent",
          id,
          `the recent ranked matches of player ${id} are counted wrong: leaderboards of the last 28 days are wrong`,
        );
      }
      after = ids.at(-1) ?? after;
      isOver = ids.length < size;
      return ids.length;
    });
  }
}

async function wrongIn(state: StoredState, ids: string[]): Promise<string[]> {
  const stored = await state.recentOf(ids);
  const newest = await state.newestServed();
  const days = recentDays(newest ?? 0);
  const expected = await state.rankedOf(ids, days.start, days.end);
  const rows = await state.playerRows(ids);
  const uncounted = new Set(
    rows.filter(({ totals }) => totals.rankedWins === undefined).map(({ id }) => id),
  );
  return ids.filter((id) => {
    const found = stored.get(id);
    const right = uncounted.has(id) ? undefined : expected.get(id);
    return found?.played !== right?.played || found?.wins !== right?.wins;
  });
}
