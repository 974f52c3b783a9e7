/** Which changes of matches a caller wants. */

/** A match must satisfy every member. Within a set any value is enough. */
export interface ChangeFilter {
  /** One player of each set must have played in the match. */
  players: readonly ReadonlySet<string>[];
  /** One team of each set must have entered with a roster. */
  teams: readonly ReadonlySet<string>[];
  /** Undefined: any. */
  gameModes: ReadonlySet<string> | undefined;
  /** Undefined: any. */
  patchVersions: ReadonlySet<string> | undefined;
}

/** What a filter looks at. */
export interface FilteredChange {
  match: { gameMode: string; patchVersion: string };
  players: readonly string[];
  teams: readonly string[];
}

export function isWanted({ match, players, teams }: FilteredChange, filter: ChangeFilter): boolean {
  return (
    (filter.gameModes?.has(match.gameMode) ?? true) &&
    (filter.patchVersions?.has(match.patchVersion) ?? true) &&
    filter.players.every((wanted) => players.some((id) => wanted.has(id))) &&
    filter.teams.every((wanted) => teams.some((id) => wanted.has(id)))
  );
}

export const wantsAll = ({ players, teams, gameModes, patchVersions }: ChangeFilter): boolean =>
  players.length === 0 && teams.length === 0 && !gameModes && !patchVersions;
