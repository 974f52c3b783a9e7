/** In charge of the tables that keep the keys. */

import type { FileKind } from "./file.ts";

export const KEYS_FILE: FileKind = {
  name: "access.sqlite",
  synchronous: "FULL",
  migrations: [
    `CREATE TABLE api_keys (
     id         TEXT PRIMARY KEY,
     name       TEXT NOT NULL,
     hash       TEXT NOT NULL UNIQUE,
     rate       INTEGER,
     created_at INTEGER NOT NULL,
     revoked_at INTEGER
   ) STRICT, WITHOUT ROWID`,
    // A key may have several secrets: while it is rotated, the old one and the new one.
    `CREATE TABLE key_secrets (
     hash       TEXT PRIMARY KEY,
     key_id     TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     expires_at INTEGER
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX key_secrets_by_key ON key_secrets (key_id);
   INSERT INTO key_secrets (hash, key_id, created_at) SELECT hash, id, created_at FROM api_keys;
   CREATE TABLE keys (
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
   ) STRICT, WITHOUT ROWID;
   INSERT INTO keys (id, name, rate, created_at, revoked_at)
     SELECT id, name, rate, created_at, revoked_at FROM api_keys;
   DROP TABLE api_keys`,
  ],
};
