/** The tables of a shard's file, and the migrations of formats since the first release. */

import type { Database } from "bun:sqlite";
import { newDerived } from "../core/derived.ts";
import { newShard } from "../core/shard.ts";
import { FIRST_FORMAT } from "../formats.ts";
import { storedValues } from "../table.ts";
import { DECLARED, DERIVED, SHARD } from "../tables.ts";
import { createTable, insertInto } from "./create.ts";

/** The tables of matches; tables.ts declares the others. */
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

`;

/** Creates the tables of the first format. */
export function createTables(database: Database, shard: string): void {
  for (const table of DECLARED) database.run(createTable(table));
  database.run(TABLES);
  database.run(insertInto(SHARD), storedValues(SHARD, newShard(shard)));
  for (const row of newDerived()) database.run(insertInto(DERIVED), storedValues(DERIVED, row));
}

/** Runs in a transaction of its own. */
export type Migration = (database: Database) => void;

/** Entry n migrates from the format FIRST_FORMAT + n to the next one. Only append. */
export const MIGRATIONS: readonly Migration[] = [];

/** The current format. */
export const FORMAT = FIRST_FORMAT + MIGRATIONS.length;

/** Identifies the file as a Matchbook shard: "MTBK". */
export const APPLICATION_ID = 0x4d54424b;
