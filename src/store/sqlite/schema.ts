/** The tables of a shard's file, and the migrations of formats since the first release. */

import type { Database } from "bun:sqlite";
import { FIRST_FORMAT } from "../formats.ts";
import { insertShard } from "./totals.ts";

/**
 * `num` columns are internal numbers that keep indexes small; they never leave the adapter. Every row has a checksum
 * (row-checks.ts), except for what the check compares with other rows.
 */
const TABLES = `
  -- The document is the encoded match, preceded by the numbers of its players and teams (row-encoding.ts). It is one
  -- column because reading a column costs about as much as finding the row. The results say whether each player and
  -- team took part, in the order of the numbers.
  CREATE TABLE matches (
    num           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    created_at    INTEGER NOT NULL,
    game_mode     TEXT NOT NULL,
    patch_version TEXT NOT NULL,
    content_hash  BLOB NOT NULL,
    document      BLOB NOT NULL,
    results       BLOB NOT NULL,
    checksum      INTEGER NOT NULL
  );
  CREATE INDEX matches_by_time  ON matches (created_at, id);
  -- Each of these two also covers the other's filter.
  CREATE INDEX matches_by_mode  ON matches (game_mode, created_at, id, patch_version);
  CREATE INDEX matches_by_patch ON matches (patch_version, created_at, id, game_mode);

  -- Players and teams as they were in the records: needed to recompute players, not to serve matches.
  CREATE TABLE match_snapshots (
    match    INTEGER PRIMARY KEY,
    snapshot BLOB NOT NULL,
    checksum INTEGER NOT NULL
  );

  -- A player or team gets a number first; what may be null is written before the commit. The last three before the
  -- resource are what leaderboards list players by.
  CREATE TABLE players (
    num           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    name          TEXT,
    last_match_at INTEGER,
    last_match_id TEXT,
    streak        INTEGER NOT NULL DEFAULT 0,
    played        INTEGER NOT NULL DEFAULT 0,
    wins          INTEGER NOT NULL DEFAULT 0,
    played_ranked INTEGER NOT NULL DEFAULT 0,
    gold          TEXT NOT NULL DEFAULT '0',
    ranked_wins   INTEGER NOT NULL DEFAULT 0,
    skill_tier    INTEGER,
    win_rate      INTEGER,
    resource      BLOB,
    linked        BLOB,
    checksum      INTEGER
  );
  CREATE INDEX players_by_name ON players (name, id);
  CREATE INDEX players_by_seen ON players (last_match_at DESC, id);
  CREATE INDEX players_by_tier ON players (skill_tier DESC, id) WHERE skill_tier IS NOT NULL;
  CREATE INDEX players_by_ranked_wins ON players (ranked_wins DESC, id) WHERE ranked_wins > 0;
  CREATE INDEX players_by_win_rate ON players (win_rate DESC, id) WHERE win_rate IS NOT NULL;
  CREATE INDEX players_by_streak ON players (streak DESC, id) WHERE streak > 0;

  CREATE TABLE teams (
    num      INTEGER PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    name     TEXT,
    resource BLOB,
    linked   BLOB,
    checksum INTEGER
  );
  CREATE INDEX teams_by_name ON teams (name, id);

  CREATE TABLE player_matches (
    player     INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    match_id   TEXT NOT NULL,
    match      INTEGER NOT NULL,
    result     INTEGER NOT NULL,
    PRIMARY KEY (player, created_at, match_id)
  ) WITHOUT ROWID;

  CREATE TABLE team_matches (
    team       INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    match_id   TEXT NOT NULL,
    match      INTEGER NOT NULL,
    plays      INTEGER NOT NULL,
    PRIMARY KEY (team, created_at, match_id)
  ) WITHOUT ROWID;

  CREATE TABLE withheld (
    id            TEXT PRIMARY KEY,
    created_at    INTEGER NOT NULL,
    game_mode     TEXT NOT NULL,
    patch_version TEXT NOT NULL,
    reason        TEXT NOT NULL,
    content_hash  BLOB NOT NULL,
    document      BLOB NOT NULL,
    snapshot      BLOB NOT NULL,
    checksum      INTEGER NOT NULL
  );
  CREATE INDEX withheld_by_reason ON withheld (reason);
  CREATE INDEX withheld_by_time ON withheld (created_at);

  CREATE TABLE ranked_evidence (
    player_id TEXT PRIMARY KEY,
    records   INTEGER NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE dependents (
    player_id TEXT NOT NULL,
    match_id  TEXT NOT NULL,
    PRIMARY KEY (player_id, match_id)
  ) WITHOUT ROWID;

  CREATE TABLE vocabulary (
    word    TEXT PRIMARY KEY,
    records INTEGER NOT NULL
  ) WITHOUT ROWID;

  -- Every current player name under each of its keys (domain/similar-names.ts).
  CREATE TABLE name_index (
    key  TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (key, name)
  ) WITHOUT ROWID;

  -- What pruned records leave behind: for each player, the totals and the latest state after the served ones (null if
  -- none was served), and how many records proved the player to be ranked.
  CREATE TABLE player_base (
    id              TEXT PRIMARY KEY,
    ranked_evidence INTEGER NOT NULL,
    last_match_at   INTEGER,
    last_match_id   TEXT,
    streak          INTEGER,
    played          INTEGER,
    wins            INTEGER,
    played_ranked   INTEGER,
    gold            TEXT,
    snapshot        BLOB,
    ranked_wins     INTEGER,
    checksum        INTEGER NOT NULL
  );

  -- The ranked matches of the 28 days. It has ids, because players with equal scores are listed by id.
  CREATE TABLE player_recent (
    id       TEXT PRIMARY KEY,
    played   INTEGER NOT NULL,
    wins     INTEGER NOT NULL,
    win_rate INTEGER,
    checksum INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX recent_by_wins ON player_recent (wins DESC, id) WHERE wins > 0;
  CREATE INDEX recent_by_win_rate ON player_recent (win_rate DESC, id) WHERE win_rate IS NOT NULL;

  -- Statistics of actors: sums over the stored matches, and (is_pruned) over those that were pruned; the actor ''
  -- counts matches. They have row numbers, so that repair finds rows on pages.
  CREATE TABLE actor_stats (
    game_mode     TEXT NOT NULL,
    patch_version TEXT NOT NULL,
    actor         TEXT NOT NULL,
    is_pruned     INTEGER NOT NULL,
    picks         INTEGER NOT NULL,
    wins          INTEGER NOT NULL,
    kills         TEXT NOT NULL,
    deaths        TEXT NOT NULL,
    assists       TEXT NOT NULL,
    gold          TEXT NOT NULL,
    farm          TEXT NOT NULL,
    checksum      INTEGER NOT NULL,
    PRIMARY KEY (game_mode, patch_version, actor, is_pruned)
  );

  -- Players whose names must not be stored any more.
  CREATE TABLE redactions (
    player_id   TEXT PRIMARY KEY,
    redacted_at INTEGER NOT NULL,
    checksum    INTEGER NOT NULL
  ) WITHOUT ROWID;

  -- The players and teams changed by recent transactions, for the caches of readers.
  CREATE TABLE changes (
    sequence INTEGER PRIMARY KEY,
    players  BLOB NOT NULL,
    teams    BLOB NOT NULL,
    checksum INTEGER NOT NULL
  );

  -- What each transaction did to the served matches (change-log.ts).
  CREATE TABLE match_changes (
    first        INTEGER PRIMARY KEY,
    count        INTEGER NOT NULL,
    committed_at INTEGER NOT NULL,
    changes      TEXT NOT NULL,
    checksum     INTEGER NOT NULL
  );

  -- One row. log_id and sequence identify the last change; matches created before pruned_before were removed. It has
  -- the numbers of rows because counting takes time proportional to the table.
  CREATE TABLE shard (
    log_id        TEXT NOT NULL,
    sequence      INTEGER NOT NULL,
    pruned_before INTEGER,
    matches       INTEGER NOT NULL,
    players       INTEGER NOT NULL,
    teams         INTEGER NOT NULL,
    checksum      INTEGER NOT NULL
  );
`;

/** Creates the tables of the first format. */
export function createTables(database: Database): void {
  database.run(TABLES);
  insertShard(database);
}

/** Runs in a transaction of its own. */
export type Migration = (database: Database) => void;

/** Entry n migrates from the format FIRST_FORMAT + n to the next one. Only append. */
export const MIGRATIONS: readonly Migration[] = [];

/** The current format. */
export const FORMAT = FIRST_FORMAT + MIGRATIONS.length;

/** Identifies the file as a Matchbook shard: "MTBK". */
export const APPLICATION_ID = 0x4d54424b;
