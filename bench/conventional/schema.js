// @ts-check
/** Tables and indexes, with types for the query builder. */

/**
 * Integer keys keep indexes and joins small; public ids are looked up once. Fields without a filter
 * are in `attributes`, as JSON text.
 */
export const TABLES = `
  CREATE TABLE matches (
    key INTEGER PRIMARY KEY,
    shard TEXT NOT NULL,
    id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    game_mode TEXT NOT NULL,
    patch_version TEXT NOT NULL,
    attributes TEXT NOT NULL,
    further_relationships TEXT NOT NULL,
    UNIQUE (shard, id)
  );

  CREATE TABLE teams (
    key INTEGER PRIMARY KEY,
    shard TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    attributes TEXT NOT NULL,
    UNIQUE (shard, id)
  );

  CREATE TABLE players (
    key INTEGER PRIMARY KEY,
    shard TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    attributes TEXT NOT NULL,
    UNIQUE (shard, id)
  );

  CREATE TABLE rosters (
    key INTEGER PRIMARY KEY,
    match_key INTEGER NOT NULL REFERENCES matches,
    team_key INTEGER REFERENCES teams,
    id TEXT NOT NULL,
    attributes TEXT NOT NULL
  );

  CREATE TABLE participants (
    key INTEGER PRIMARY KEY,
    match_key INTEGER NOT NULL REFERENCES matches,
    roster_key INTEGER NOT NULL REFERENCES rosters,
    player_key INTEGER REFERENCES players,
    id TEXT NOT NULL,
    attributes TEXT NOT NULL
  );

  CREATE TABLE assets (
    key INTEGER PRIMARY KEY,
    match_key INTEGER NOT NULL REFERENCES matches,
    id TEXT NOT NULL,
    attributes TEXT NOT NULL
  );

  CREATE TABLE player_matches (
    player_key INTEGER NOT NULL REFERENCES players,
    created_at INTEGER NOT NULL,
    match_id TEXT NOT NULL,
    match_key INTEGER NOT NULL REFERENCES matches,
    PRIMARY KEY (player_key, created_at, match_id)
  ) WITHOUT ROWID;

  CREATE TABLE team_matches (
    team_key INTEGER NOT NULL REFERENCES teams,
    created_at INTEGER NOT NULL,
    match_id TEXT NOT NULL,
    match_key INTEGER NOT NULL REFERENCES matches,
    PRIMARY KEY (team_key, created_at, match_id)
  ) WITHOUT ROWID;

  CREATE TABLE api_keys (
    hash TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    requests_a_minute INTEGER NOT NULL
  ) WITHOUT ROWID;
`;

/** Created after loading, which is faster. Each list of matches is one range of one index. */
export const INDEXES = `
  CREATE INDEX matches_by_time ON matches (shard, created_at, id);
  CREATE INDEX matches_by_mode ON matches (shard, game_mode, created_at, id);
  CREATE INDEX matches_by_patch ON matches (shard, patch_version, created_at, id);
  CREATE INDEX matches_by_mode_and_patch
    ON matches (shard, game_mode, patch_version, created_at, id);
  CREATE INDEX rosters_by_match ON rosters (match_key);
  CREATE INDEX participants_by_match ON participants (match_key);
  CREATE INDEX assets_by_match ON assets (match_key);
  CREATE INDEX players_by_name ON players (shard, name, id);
  CREATE INDEX players_by_time ON players (shard, seen_at DESC, id);
  CREATE INDEX teams_by_name ON teams (shard, name);
`;

/**
 * @typedef {object} Tables
 * @property {{key: number, shard: string, id: string, created_at: number, game_mode: string,
 *   patch_version: string, attributes: string, further_relationships: string}} matches
 * @property {{key: number, shard: string, id: string, name: string, attributes: string}} teams
 * @property {{key: number, shard: string, id: string, name: string, seen_at: number,
 *   attributes: string}} players
 * @property {{key: number, match_key: number, team_key: number | null, id: string,
 *   attributes: string}} rosters
 * @property {{key: number, match_key: number, roster_key: number, player_key: number | null,
 *   id: string, attributes: string}} participants
 * @property {{key: number, match_key: number, id: string, attributes: string}} assets
 * @property {{player_key: number, created_at: number, match_id: string, match_key: number}} player_matches
 * @property {{team_key: number, created_at: number, match_id: string, match_key: number}} team_matches
 * @property {{hash: string, name: string, requests_a_minute: number}} api_keys
 */
