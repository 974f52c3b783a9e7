/** The tables of a shard. */

import { ALL_MATCHES } from "../domain/actors.ts";
import { bigint, bytes, declareTable, integer, nullable, type RowIn, text } from "./table.ts";

/** How many stored records prove a player to be ranked. */
export const RANKED_EVIDENCE = declareTable("ranked_evidence", {
  columns: { player_id: text, records: integer },
  key: ["player_id"],
  isChecked: false,
});

/** Matches whose visibility depends on whether a player is ranked. */
export const DEPENDENTS = declareTable("dependents", {
  columns: { player_id: text, match_id: text },
  key: ["player_id", "match_id"],
  isChecked: false,
});

/** How many served records have each extra word: "path:…" or "type:…". */
export const VOCABULARY = declareTable("vocabulary", {
  columns: { word: text, records: integer },
  key: ["word"],
  isChecked: false,
});

/** Players whose names must not be stored any more. */
export const REDACTIONS = declareTable("redactions", {
  columns: { player_id: text, redacted_at: bigint },
  key: ["player_id"],
  isChecked: true,
});

/**
 * What pruned records leave behind of a player: how many proved the player to be ranked, and the totals and the latest state
 * after the served ones, which are null if none was served.
 */
export const PLAYER_BASE = declareTable("player_base", {
  columns: {
    id: text,
    ranked_evidence: integer,
    last_match_at: nullable(bigint),
    last_match_id: nullable(text),
    streak: nullable(integer),
    played: nullable(integer),
    wins: nullable(integer),
    played_ranked: nullable(integer),
    ranked_wins: nullable(integer),
    gold: nullable(text),
    snapshot: nullable(bytes),
  },
  key: ["id"],
  isChecked: true,
});
export type BaseRow = RowIn<typeof PLAYER_BASE>;

/** The ranked matches of a player in the 28 days of the leaderboards. It has ids, because players with equal scores are listed by id. */
export const PLAYER_RECENT = declareTable("player_recent", {
  columns: { id: text, played: integer, wins: integer, win_rate: nullable(integer) },
  key: ["id"],
  isChecked: true,
  indexes: [
    { name: "recent_by_wins", on: "wins DESC, id", where: "wins > 0" },
    { name: "recent_by_win_rate", on: "win_rate DESC, id", where: "win_rate IS NOT NULL" },
  ],
});
export type RecentRow = RowIn<typeof PLAYER_RECENT>;

/**
 * Statistics of actors: sums over the stored matches, and (is_pruned) over those that were pruned; the actor '' counts
 * matches. Sums of stats can be larger than integers of a database.
 */
export const ACTOR_STATS = declareTable("actor_stats", {
  columns: {
    game_mode: text,
    patch_version: text,
    actor: text,
    is_pruned: integer,
    picks: bigint,
    wins: bigint,
    kills: text,
    deaths: text,
    assists: text,
    gold: text,
    farm: text,
  },
  key: ["game_mode", "patch_version", "actor", "is_pruned"],
  isChecked: true,
  label: ({ actor, game_mode, patch_version }) =>
    `${actor === ALL_MATCHES ? "all matches" : actor} in ${game_mode} ${patch_version}`,
});
export type ActorRow = RowIn<typeof ACTOR_STATS>;
