/**
 * Builds what a shard of an earlier version lacks: the statistics of actors over the matches that it has, and what
 * leaderboards list its players by. In short transactions between which others may write; one that was interrupted is
 * continued by the next.
 */

import type { Transaction, Writer } from "../store/store.ts";
import { countNextPlayers } from "./build-boards.ts";
import { countNext } from "./count-actors.ts";

/** Matches or players per transaction. */
const STEP = 200;

export interface BuildOptions {
  step?: number;
  /** The pause after each transaction, as a multiple of the time it took: other writers get their turn. */
  rest?: number;
  /** Called at the beginning and after each transaction with the matches and players that are counted, and all there are. */
  onProgress?(done: number, total: number): void;
  /** Aborting it ends the build after the current transaction. */
  signal?: AbortSignal;
}

/** How many were counted. */
export interface Built {
  matches: number;
  players: number;
}

/** Whether nothing is left to build. */
export const areInsightsBuilt = (writer: Pick<Writer, "survey">): Promise<boolean> =>
  writer.survey(
    async (state) =>
      (await state.lastCounted()) === undefined && (await state.uncountedPlayers(1)).length === 0,
  );

export async function buildInsights(
  writer: Writer,
  { step = STEP, rest = 0, onProgress, signal }: BuildOptions = {},
): Promise<Built> {
  const built: Built = { matches: 0, players: 0 };
  if (await areInsightsBuilt(writer)) return built;
  const last = await writer.survey(async (state) => state.lastCounted());
  const { served, players } = await writer.counts();
  const before = last ? (await writer.countOlder(last.createdAt)).served : served;
  const total = served + players;
  onProgress?.(before, total);
  const build = async (
    what: keyof Built,
    countSome: (transaction: Transaction, limit: number) => Promise<number>,
    end: number,
  ) => {
    for (let isOver = false; !isOver && !signal?.aborted; ) {
      const began = performance.now();
      const some = await writer.write((transaction) => countSome(transaction, step));
      built[what] += some;
      isOver = some < step;
      onProgress?.(isOver ? end : Math.min(before + built.matches + built.players, end), total);
      if (!isOver) await Bun.sleep(rest * (performance.now() - began));
    }
  };
  if (last) await build("matches", countNext, served);
  await build("players", countNextPlayers, total);
  return built;
}
