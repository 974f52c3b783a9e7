/** Which changes of matches a caller wants. */

import type { Change } from "../../store/store.ts";

/** A match must satisfy every member. Within a set any value is enough. */
export interface ChangeFilter {
  /** One player of each set must have played in the match. */
  players: readonly ReadonlySet<string>[];
  /** One team of each set must have entered with a roster. */
  teams: readonly ReadonlySet<string>[];
  gameModes?: ReadonlySet<string> | undefined;
  patchVersions?: ReadonlySet<string> | undefined;
}

export function isWanted({ match, players, teams }: Change, filter: ChangeFilter): boolean {
  return (
    (filter.gameModes?.has(match.gameMode) ?? true) &&
    (filter.patchVersions?.has(match.patchVersion) ?? true) &&
    filter.players.every((wanted) => players.some((id) => wanted.has(id))) &&
    filter.teams.every((wanted) => teams.some((id) => wanted.has(id)))
  );
}

export const wantsAll = ({ players, teams, gameModes, patchVersions }: ChangeFilter): boolean =>
  players.length === 0 && teams.length === 0 && !gameModes && !patchVersions;
