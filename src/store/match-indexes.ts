/** The indexes that list matches in order, and which of them a selection may use. */

import type { NamedTable, Selection } from "./store.ts";

export interface MatchIndex {
  table: string;
  /** Undefined for the index of all matches. */
  key: string | undefined;
  /** The table whose numbers are the keys; undefined if the keys are texts. */
  named: NamedTable | undefined;
  id: string;
  /** Excludes entries of players and teams who are only mentioned. */
  counts: string;
}

const MATCHES = { table: "matches", named: undefined, id: "id", counts: "" };

const INDEXES = {
  time: { ...MATCHES, key: undefined },
  mode: { ...MATCHES, key: "game_mode" },
  patch: { ...MATCHES, key: "patch_version" },
  player: {
    table: "player_matches",
    key: "player",
    named: "players",
    id: "match_id",
    counts: " AND result < 2",
  },
  team: {
    table: "team_matches",
    key: "team",
    named: "teams",
    id: "match_id",
    counts: " AND plays = 1",
  },
} as const satisfies Record<string, MatchIndex>;

type IndexName = keyof typeof INDEXES;

/** Selects the matches that an index lists under any of these keys. */
export interface IndexScan<Key = string | number> {
  name: IndexName;
  index: MatchIndex;
  keys: readonly Key[];
}

const scanOf = <Key>(name: IndexName, keys: readonly Key[]): IndexScan<Key> => ({
  name,
  index: INDEXES[name],
  keys,
});

const EVERY_MATCH = scanOf("time", [""]);

/** Usually most selective first. */
export function scansOf<Key>(
  { patchVersions, gameModes }: Selection,
  players: readonly Key[][],
  teams: readonly Key[][],
): IndexScan<Key | string>[] {
  const scans: IndexScan<Key | string>[] = [
    ...players.map((keys) => scanOf("player", keys)),
    ...teams.map((keys) => scanOf("team", keys)),
  ];
  if (patchVersions) scans.push(scanOf("patch", patchVersions));
  if (gameModes) scans.push(scanOf("mode", gameModes));
  return scans.length > 0 ? scans : [EVERY_MATCH];
}
