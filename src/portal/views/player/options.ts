/** What the URL of a player page holds: the player to compare with, and the filters of the matches. */

import type { GameMode } from "../../../../client/src/index.ts";
import { GAME_MODES } from "../../../domain/modes.ts";

export interface PlayerOptions {
  compare: string | undefined;
  /** Undefined for all modes. */
  mode: GameMode | undefined;
  /** Undefined for all heroes. A hero's name may be empty. */
  hero: string | undefined;
}

/** Values that are not valid count as absent, so that an edited URL still shows the player. */
export const optionsOf = (search: URLSearchParams | undefined): PlayerOptions => ({
  compare: search?.get("compare") || undefined,
  mode: GAME_MODES.find((mode) => mode === search?.get("mode")),
  hero: search?.get("hero") ?? undefined,
});

export function searchOf(options: PlayerOptions): URLSearchParams {
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  return new URLSearchParams(set);
}
