/** The migrations of a shard's file. */

import type { Database } from "bun:sqlite";
import { fillNameIndex } from "./name-index.ts";
import { fillShardChecksum, markUncounted } from "./totals.ts";

/**
 * `num` columns are internal numbers that keep indexes small; they never leave the adapter.
 * `served` is the encoded match, preceded by the numbers of its players and teams
 * (row-encoding.ts). It is one column because reading a column costs about as much as finding the
 * row.
 */
const FIRST = `
  CREATE TABLE matches (
    num           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    created_at    INTEGER NOT NULL,
    game_mode     TEXT NOT NULL,
    patch_version TEXT NOT NULL,
    content_hash  BLOB NOT NULL,
    served        BLOB NOT NULL
  );
  CREATE INDEX matches_by_time  ON matches (created_at, id);
  -- Each of these two also covers the other's filter.
  CREATE INDEX matches_by_mode  ON matches (game_mode, created_at, id, patch_version);
  CREATE INDEX matches_by_patch ON matches (patch_version, created_at, id, game_mode);

  -- Players and teams as they were in the records: needed to recompute players, not to serve matches.
  CREATE TABLE carried (
    match    INTEGER PRIMARY KEY,
    fragment BLOB NOT NULL
  );

  CREATE TABLE players (
    num           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    name          TEXT,
    seen_at       INTEGER,
    seen_in       TEXT,
    run           INTEGER NOT NULL DEFAULT 0,
    played        INTEGER NOT NULL DEFAULT 0,
    wins          INTEGER NOT NULL DEFAULT 0,
    played_ranked INTEGER NOT NULL DEFAULT 0,
    gold          TEXT NOT NULL DEFAULT '0',
    resource      BLOB,
    companions    BLOB
  );
  CREATE INDEX players_by_name ON players (name, id);
  CREATE INDEX players_by_seen ON players (seen_at DESC, id);

  CREATE TABLE teams (
    num        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    name       TEXT,
    resource   BLOB,
    companions BLOB
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
    sheet         BLOB NOT NULL,
    carried       BLOB NOT NULL
  );
  CREATE INDEX withheld_by_reason ON withheld (reason);

  CREATE TABLE ranked_evidence (
    player_id TEXT PRIMARY KEY,
    records   INTEGER NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE dependents (
    player_id TEXT NOT NULL,
    match_id  TEXT NOT NULL,
    PRIMARY KEY (player_id, match_id)
  ) WITHOUT ROWID;

  -- The players and teams changed by recent transactions, for the caches of readers.
  CREATE TABLE changes (
    seq     INTEGER PRIMARY KEY,
    players BLOB NOT NULL,
    teams   BLOB NOT NULL
  );

  CREATE TABLE vocabulary (
    word    TEXT PRIMARY KEY,
    records INTEGER NOT NULL
  ) WITHOUT ROWID;
`;

/** Row counts, because counting takes time proportional to the table. */
const TALLIES = `
  CREATE TABLE tallies (
    matches INTEGER NOT NULL,
    players INTEGER NOT NULL,
    teams   INTEGER NOT NULL
  );
  INSERT INTO tallies SELECT
    (SELECT count(*) FROM matches),
    (SELECT count(*) FROM players),
    (SELECT count(*) FROM teams);
`;

/** The name index: every current player name under each of its keys (domain/similar-names.ts). */
const NAME_SPOTS = `
  CREATE TABLE name_spots (
    spot TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (spot, name)
  ) WITHOUT ROWID;
`;

/**
 * Plain names; a checksum for each row (checksum.ts); whether each player and team of a match took part, in
 * the order of the numbers in `document`. `shard` is one row: `log_id` and `sequence` identify the last change,
 * and matches created before `pruned_before` were removed.
 */
const CHECKSUMS = `
  ALTER TABLE matches RENAME COLUMN served TO document;
  ALTER TABLE matches ADD COLUMN results BLOB;
  ALTER TABLE matches ADD COLUMN checksum INTEGER;
  ALTER TABLE carried RENAME TO match_snapshots;
  ALTER TABLE match_snapshots RENAME COLUMN fragment TO snapshot;
  ALTER TABLE match_snapshots ADD COLUMN checksum INTEGER;
  ALTER TABLE players RENAME COLUMN seen_at TO last_match_at;
  ALTER TABLE players RENAME COLUMN seen_in TO last_match_id;
  ALTER TABLE players RENAME COLUMN run TO streak;
  ALTER TABLE players RENAME COLUMN companions TO linked;
  ALTER TABLE players ADD COLUMN checksum INTEGER;
  ALTER TABLE teams RENAME COLUMN companions TO linked;
  ALTER TABLE teams ADD COLUMN checksum INTEGER;
  ALTER TABLE withheld RENAME COLUMN sheet TO document;
  ALTER TABLE withheld RENAME COLUMN carried TO snapshot;
  ALTER TABLE withheld ADD COLUMN checksum INTEGER;
  ALTER TABLE name_spots RENAME TO name_index;
  ALTER TABLE name_index RENAME COLUMN spot TO key;
  ALTER TABLE changes RENAME COLUMN seq TO sequence;
  ALTER TABLE changes ADD COLUMN checksum INTEGER;
  CREATE TABLE shard (
    log_id        TEXT NOT NULL,
    sequence      INTEGER NOT NULL,
    pruned_before INTEGER,
    matches       INTEGER NOT NULL,
    players       INTEGER NOT NULL,
    teams         INTEGER NOT NULL,
    checksum      INTEGER
  );
  INSERT INTO shard SELECT
    lower(hex(randomblob(16))),
    (SELECT coalesce(max(sequence), 0) FROM changes),
    NULL, matches, players, teams, NULL FROM tallies;
  DROP TABLE tallies;
  DELETE FROM changes;
`;

/** Takes time in proportion to the data, so open.ts does it in short transactions (fill-checksums.ts). */
const FILL_CHECKSUMS = "";

/**
 * What pruned records leave behind: for each player, the totals and the latest state after the served ones (null if
 * none was served), and how many records proved the player to be ranked.
 */
const PLAYER_BASE = `
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
    checksum        INTEGER NOT NULL
  );
  CREATE INDEX withheld_by_time ON withheld (created_at);

  -- Players whose names must not be stored any more.
  CREATE TABLE redactions (
    player_id   TEXT PRIMARY KEY,
    redacted_at INTEGER NOT NULL,
    checksum    INTEGER NOT NULL
  ) WITHOUT ROWID;
`;

/** What each transaction did to the served matches (change-log.ts). */
const MATCH_CHANGES = `
  CREATE TABLE match_changes (
    first        INTEGER PRIMARY KEY,
    count        INTEGER NOT NULL,
    committed_at INTEGER NOT NULL,
    changes      TEXT NOT NULL,
    checksum     INTEGER NOT NULL
  );
`;

/**
 * Statistics of actors: sums over the stored matches, and (is_pruned) over those that were pruned; the actor '' counts
 * matches. They have row numbers, so that repair finds rows on pages. The columns of `shard` are the key of the last match
 * that is counted, while they are built; null if all are.
 */
const ACTOR_STATS = `
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
  ALTER TABLE shard ADD COLUMN counted_at INTEGER;
  ALTER TABLE shard ADD COLUMN counted_id TEXT;
`;

/**
 * What leaderboards list players by. `ranked_wins` is null until the ranked matches of a player are counted
 * (ingest/build-boards.ts). `player_recent` has the ranked matches of the 28 days; it has ids, because players with
 * equal scores are listed by id.
 */
const LEADERBOARDS = `
  ALTER TABLE players ADD COLUMN ranked_wins INTEGER;
  ALTER TABLE players ADD COLUMN skill_tier INTEGER;
  ALTER TABLE players ADD COLUMN win_rate INTEGER;
  CREATE INDEX players_by_tier ON players (skill_tier DESC, id) WHERE skill_tier IS NOT NULL;
  CREATE INDEX players_by_ranked_wins ON players (ranked_wins DESC, id) WHERE ranked_wins > 0;
  CREATE INDEX players_by_win_rate ON players (win_rate DESC, id) WHERE win_rate IS NOT NULL;
  CREATE INDEX players_by_streak ON players (streak DESC, id) WHERE streak > 0;
  CREATE INDEX players_uncounted ON players (num) WHERE ranked_wins IS NULL;
  ALTER TABLE player_base ADD COLUMN ranked_wins INTEGER;
  CREATE TABLE player_recent (
    id       TEXT PRIMARY KEY,
    played   INTEGER NOT NULL,
    wins     INTEGER NOT NULL,
    win_rate INTEGER,
    checksum INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX recent_by_wins ON player_recent (wins DESC, id) WHERE wins > 0;
  CREATE INDEX recent_by_win_rate ON player_recent (win_rate DESC, id) WHERE win_rate IS NOT NULL;
`;

/** The id of the shard, so that its file is not used as another one. Written when the file is created (open.ts). */
const SHARD_ID = "ALTER TABLE shard ADD COLUMN id TEXT NOT NULL DEFAULT '';";

/** The keys of names have changed: the index is filled again. */
const NAME_KEYS = `DELETE FROM name_index; ${SHARD_ID}`;

/** Migration n upgrades a file from version n to n + 1. Only append. */
export const MIGRATIONS: readonly string[] = [
  FIRST,
  TALLIES,
  NAME_SPOTS,
  CHECKSUMS,
  FILL_CHECKSUMS,
  PLAYER_BASE,
  MATCH_CHANGES,
  ACTOR_STATS,
  LEADERBOARDS,
  NAME_KEYS,
];

/** Steps after a migration that SQL alone cannot do, by migration number. */
export const COMPLETIONS: ReadonlyMap<number, (database: Database) => void> = new Map([
  [MIGRATIONS.indexOf(NAME_KEYS), fillNameIndex],
  [MIGRATIONS.indexOf(CHECKSUMS), fillShardChecksum],
  [MIGRATIONS.indexOf(ACTOR_STATS), markUncounted],
]);

/** The current format. */
export const FORMAT = MIGRATIONS.length;

/** The format in which some rows may lack their checksums. */
export const UNFILLED = MIGRATIONS.indexOf(FILL_CHECKSUMS);

/** Identifies the file as a Matchbook shard: "MTBK". */
export const APPLICATION_ID = 0x4d54424b;
