/** The tables of keys, usage, hooks and redactions in SQLite, one file each. */

import type { Tables } from "../key-database.ts";

export interface SqliteFile {
  name: string;
  tables: Tables;
  /**
   * FULL: commits survive a power failure. NORMAL: commits survive a crash of the process, without
   * waiting for the disk.
   */
  synchronous: "FULL" | "NORMAL";
  /** Whether a file that is deleted while it is in use is created again. */
  isReplaceable: boolean;
  /** What to do about a damaged file. */
  ifDamaged: string;
}

export const KEYS_FILE: SqliteFile = {
  name: "access.sqlite",
  synchronous: "FULL",
  // An empty one would end every key.
  isReplaceable: false,
  ifDamaged: "restore it from a backup",
  tables: {
    create: [
      `CREATE TABLE keys (
     id              TEXT PRIMARY KEY,
     name            TEXT NOT NULL,
     note            TEXT,
     tier            TEXT,
     rate            INTEGER,
     burst           INTEGER,
     matches_per_day INTEGER,
     shards          TEXT,
     created_at      INTEGER NOT NULL,
     expires_at      INTEGER,
     revoked_at      INTEGER
   ) STRICT, WITHOUT ROWID`,
      // A key has two secrets while it is rotated.
      `CREATE TABLE key_secrets (
     hash       TEXT PRIMARY KEY,
     key_id     TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     expires_at INTEGER
   ) STRICT, WITHOUT ROWID`,
      "CREATE INDEX key_secrets_by_key ON key_secrets (key_id)",
    ],
    migrations: [],
  },
};

/**
 * A separate file: it is written every two seconds, and keys are reloaded when their file changes.
 */
export const USAGE_FILE: SqliteFile = {
  name: "usage.sqlite",
  synchronous: "NORMAL",
  isReplaceable: true,
  ifDamaged: "restore it from a backup, or move it elsewhere: then a new one is created",
  tables: {
    create: [
      `CREATE TABLE requests (
     key_id TEXT NOT NULL,
     day    INTEGER NOT NULL,
     status INTEGER NOT NULL,
     count  INTEGER NOT NULL,
     PRIMARY KEY (key_id, day, status)
   ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE days (
     key_id    TEXT NOT NULL,
     day       INTEGER NOT NULL,
     records   INTEGER NOT NULL,
     last_seen INTEGER NOT NULL,
     PRIMARY KEY (key_id, day)
   ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE quota_log (
     position INTEGER PRIMARY KEY,
     key_id   TEXT NOT NULL,
     day      INTEGER NOT NULL,
     matches  BLOB NOT NULL
   ) STRICT`,
      "CREATE TABLE quota_log_end (position INTEGER NOT NULL) STRICT",
      "INSERT INTO quota_log_end VALUES (0)",
    ],
    migrations: [],
  },
};

/** A separate file: it is written with every delivery. */
export const HOOKS_FILE: SqliteFile = {
  name: "hooks.sqlite",
  // A delivery that is forgotten after a power failure is repeated.
  synchronous: "NORMAL",
  isReplaceable: true,
  ifDamaged: "restore it from a backup, or move it elsewhere and add the hooks again",
  tables: {
    create: [
      `CREATE TABLE hooks (
     id         TEXT PRIMARY KEY,
     created_at INTEGER NOT NULL,
     version    INTEGER NOT NULL,
     state      TEXT NOT NULL
   ) STRICT, WITHOUT ROWID`,
      "CREATE TABLE hook_lease (owner TEXT NOT NULL, valid_until INTEGER NOT NULL) STRICT",
      "INSERT INTO hook_lease VALUES ('', 0)",
    ],
    migrations: [],
  },
};

/** A separate file: a restored backup of keys must not replace it. */
export const REDACTIONS_FILE: SqliteFile = {
  name: "redactions.sqlite",
  synchronous: "FULL",
  isReplaceable: true,
  ifDamaged:
    "move it elsewhere, and run 'matchbook redact SHARD' for each shard, which lists the redactions of the shard again",
  tables: {
    create: [
      // Without an index, so that a damaged entry does not affect the others.
      `CREATE TABLE redactions (
     position    INTEGER PRIMARY KEY,
     shard       TEXT NOT NULL,
     player_id   TEXT NOT NULL,
     redacted_at INTEGER NOT NULL,
     checksum    INTEGER NOT NULL
   ) STRICT`,
    ],
    migrations: [],
  },
};
