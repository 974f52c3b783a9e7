/** Finds the players of a shard whose names are similar to a text. */

import { closestNames, keysToRead } from "../domain/similar-names.ts";
import type { PlayerListing, Reader } from "../store/store.ts";

export interface SimilarPlayer {
  player: PlayerListing;
  /** The lowest is the most similar; from NEAREST on, names are not similar. */
  rank: number;
}

export const NEAREST = 100;

/** So that players who share a name leave room for other names. */
const MAX_PLAYERS_OF_A_NAME = 3;

export async function findSimilar(
  near: string,
  reader: Reader,
  limit: number,
): Promise<SimilarPlayer[]> {
  const { keys, before, after } = keysToRead(near);
  const around = await reader.namesAround(keys, before, after);
  // The exact name may come after many similar ones. If no player has it, the read below drops it.
  const names = closestNames(near, new Set([near, ...around]), limit + 1);
  const found = await reader.playersWithNames(names, MAX_PLAYERS_OF_A_NAME);
  return found.slice(0, limit).map((player) => ({ player, rank: names.indexOf(player.name) }));
}
