/**
 * The tables of earlier formats as the current one names them, for reading. A checksum that a row
 * does not have yet is NaN, which no bigint is: the row is then served as that format did. In the
 * current format it is NULL, which is damage.
 */

import { BEFORE_ALL } from "../actor-rows.ts";
import { FORMAT, UNFILLED } from "./schema.ts";

const UNCHECKED = "'NaN'::float8 AS checksum";
const CHECKED_IF_FILLED = "coalesce(checksum::float8, 'NaN') AS checksum";

const STANDING = "played, wins, played_ranked, gold, resource";

const NO_BASES = `SELECT NULL::text AS id, NULL::integer AS ranked_evidence, NULL::bigint AS last_match_at,
  NULL::text AS last_match_id, NULL::integer AS streak, NULL::integer AS played, NULL::integer AS wins,
  NULL::integer AS played_ranked, NULL::text AS gold, NULL::bytea AS snapshot, NULL::bigint AS checksum,
  NULL::integer AS ranked_wins WHERE false`;

const NO_REDACTIONS = `SELECT NULL::text AS player_id, NULL::bigint AS redacted_at, NULL::bigint AS checksum
  WHERE false`;

const NO_CHANGES = `SELECT NULL::bigint AS first, NULL::integer AS count, NULL::bigint AS committed_at,
  NULL::text AS changes, NULL::bigint AS checksum WHERE false`;

const NO_ACTORS = `SELECT NULL::text COLLATE "C" AS game_mode, NULL::text COLLATE "C" AS patch_version,
  NULL::text COLLATE "C" AS actor, NULL::smallint AS is_pruned, NULL::bigint AS picks, NULL::bigint AS wins,
  NULL::text AS kills, NULL::text AS deaths, NULL::text AS assists, NULL::text AS gold, NULL::text AS farm,
  NULL::bigint AS checksum WHERE false`;

const NONE_COUNTED = `${BEFORE_ALL.createdAt}::bigint AS counted_at, '${BEFORE_ALL.id}'::text AS counted_id`;

const SHARD = `SELECT sequence, token, log_id, pruned_before, matches, players, teams, ${NONE_COUNTED}
  FROM {shard}`;

/** Before the format with statistics of actors. */
const WITHOUT_ACTORS = { shard: SHARD, actor_stats: NO_ACTORS };

const NO_SCORES = `NULL::integer AS ranked_wins, NULL::bigint AS skill_tier,
  NULL::integer AS win_rate`;

/** Before the format with leaderboards: none of them is ready. All columns are named, because others are added. */
const WITHOUT_SCORES = {
  players: `SELECT num, id, name, last_match_at, last_match_id, streak, ${STANDING}, linked,
    ${NO_SCORES}, checksum FROM {players}`,
  player_recent: `SELECT NULL::text AS id, NULL::integer AS played, NULL::integer AS wins,
    NULL::integer AS win_rate, NULL::bigint AS checksum WHERE false`,
};

const BASES_WITHOUT_SCORES = `SELECT id, ranked_evidence, last_match_at, last_match_id, streak,
  played, wins, played_ranked, gold, snapshot, checksum, NULL::integer AS ranked_wins
  FROM {player_base}`;

/** The tables that differ, by format. */
const TABLES: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  2: {
    match_documents: `SELECT id, created_at, content_hash, served AS document,
      NULL::text AS game_mode, NULL::text AS patch_version, NULL::bytea AS results, ${UNCHECKED}
      FROM {sheets}`,
    matches: `SELECT created_at, id, game_mode, patch_version, carried AS snapshot, ${UNCHECKED}
      FROM {matches}`,
    players: `SELECT num, id, name, seen_at AS last_match_at, seen_in AS last_match_id,
      run AS streak, ${STANDING}, companions AS linked, ${NO_SCORES}, ${UNCHECKED} FROM {players}`,
    teams: `SELECT num, id, name, resource, companions AS linked, ${UNCHECKED} FROM {teams}`,
    withheld: `SELECT id, created_at, game_mode, patch_version, reason, content_hash,
      sheet AS document, carried AS snapshot, ${UNCHECKED} FROM {withheld}`,
    name_index: "SELECT spot AS key, name FROM {name_spots}",
    changes: `SELECT seq AS sequence, token, players, teams, ${UNCHECKED} FROM {changes}`,
    shard: `SELECT seq AS sequence, token, '' AS log_id, NULL::bigint AS pruned_before, matches,
      players, teams, ${NONE_COUNTED} FROM {state}`,
    player_base: NO_BASES,
    player_recent: WITHOUT_SCORES.player_recent,
    redactions: NO_REDACTIONS,
    match_changes: NO_CHANGES,
    actor_stats: NO_ACTORS,
  },
  3: {
    match_documents: `SELECT id, created_at, content_hash, document, game_mode, patch_version,
      results, ${CHECKED_IF_FILLED} FROM {match_documents}`,
    matches: `SELECT created_at, id, game_mode, patch_version, snapshot, ${CHECKED_IF_FILLED}
      FROM {matches}`,
    players: `SELECT num, id, name, last_match_at, last_match_id, streak, ${STANDING}, linked,
      ${NO_SCORES}, ${CHECKED_IF_FILLED} FROM {players}`,
    teams: `SELECT num, id, name, resource, linked, ${CHECKED_IF_FILLED} FROM {teams}`,
    withheld: `SELECT id, created_at, game_mode, patch_version, reason, content_hash, document,
      snapshot, ${CHECKED_IF_FILLED} FROM {withheld}`,
    player_base: NO_BASES,
    player_recent: WITHOUT_SCORES.player_recent,
    redactions: NO_REDACTIONS,
    match_changes: NO_CHANGES,
    shard: SHARD,
    actor_stats: NO_ACTORS,
  },
  4: {
    ...WITHOUT_SCORES,
    ...WITHOUT_ACTORS,
    player_base: NO_BASES,
    redactions: NO_REDACTIONS,
    match_changes: NO_CHANGES,
  },
  5: {
    ...WITHOUT_SCORES,
    ...WITHOUT_ACTORS,
    player_base: BASES_WITHOUT_SCORES,
    match_changes: NO_CHANGES,
  },
  6: { ...WITHOUT_SCORES, ...WITHOUT_ACTORS, player_base: BASES_WITHOUT_SCORES },
  7: { ...WITHOUT_SCORES, player_base: BASES_WITHOUT_SCORES },
};

/**
 * A statement of the current format, for a shard of this one. Tables become subqueries, which the
 * planner merges into the statement.
 */
export function inFormat(text: string, format: number): string {
  if (format === FORMAT) return text;
  const tables = TABLES[format] ?? {};
  const statement = text.replaceAll(
    /\{(\w+)\}( AS \w+)?/g,
    (whole, table, alias = ` AS ${table}`) => {
      const sameAs = tables[table];
      return sameAs === undefined ? whole : `(${sameAs})${alias}`;
    },
  );
  return format < UNFILLED ? lockingFormat(statement) : statement;
}

/**
 * A migration that changes tables locks {format} before them. Reads lock it first too, and wait there:
 * if they waited with some of the tables locked, both would be in a deadlock. It has one row, and
 * joining that keeps the order of the others.
 */
const lockingFormat = (statement: string): string =>
  `SELECT answer.* FROM {format} AS gate CROSS JOIN (${statement}) AS answer`;
