/** Verifies the counts of recent ranked matches. */

import { type RankedTally, recentDays } from "../domain/leaderboards.ts";
import type { StoredState } from "../store/store.ts";
import type { Context } from "./context.ts";

const BATCH = 250;

/**
 * Every player has the right count, and every count has a player. In short steps, by the lists of the players' matches;
 * what seems wrong is then compared with the matches themselves, because a list may be wrong instead.
 */
export async function verifyRecent(context: Context): Promise<void> {
  const doubtful = new Set<string>();
  await inBatches(context, doubtful, (state, after, size) =>
    state.namedIds("players", after, size),
  );
  await inBatches(context, doubtful, async (state, after, size) =>
    (await state.recentAfter(after, size)).map(([id]) => id),
  );
  if (doubtful.size === 0) return;
  await context.survey(async (state) => {
    const { start, end } = recentDays((await state.newestServed()) ?? 0);
    const expected = await state.rankedBetween(start, end);
    for (const id of await wrongIn(state, [...doubtful], expected)) {
      context.note(
        "player_recent",
        id,
        `the recent ranked matches of player ${id} are counted wrong: leaderboards of the last 28 days are wrong`,
      );
    }
  });
}

async function inBatches(
  { step, rows }: Context,
  doubtful: Set<string>,
  idsAfter: (state: StoredState, after: string, size: number) => PromiseLike<string[]> | string[],
): Promise<void> {
  const size = Math.min(BATCH, rows);
  for (let after = "", isOver = false; !isOver; ) {
    await step(async (state) => {
      const ids = await idsAfter(state, after, size);
      const { start, end } = recentDays((await state.newestServed()) ?? 0);
      const expected = await state.rankedOf(ids, start, end);
      for (const id of await wrongIn(state, ids, expected)) doubtful.add(id);
      after = ids.at(-1) ?? after;
      isOver = ids.length < size;
      return ids.length;
    });
  }
}

/** Players whose ranked matches are not counted yet have none. */
async function wrongIn(
  state: StoredState,
  ids: string[],
  expected: ReadonlyMap<string, RankedTally>,
): Promise<string[]> {
  const stored = await state.recentOf(ids);
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
