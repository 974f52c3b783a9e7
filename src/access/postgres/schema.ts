/** The migrations of keys and usage in PostgreSQL. */

import type { Migrations } from "../key-database.ts";

export const MIGRATIONS: Migrations = [
  [
    // One row. It is incremented with each change of keys, so that polling reads one number.
    "CREATE TABLE {changes} (version bigint NOT NULL)",
    "INSERT INTO {changes} VALUES (1)",
    `CREATE TABLE {keys} (
       id              text COLLATE "C" PRIMARY KEY,
       name            text NOT NULL,
       note            text,
       tier            text,
       rate            bigint,
       burst           bigint,
       matches_per_day bigint,
       shards          text,
       created_at      bigint NOT NULL,
       expires_at      bigint,
       revoked_at      bigint
     )`,
    `CREATE TABLE {key_secrets} (
       hash       text COLLATE "C" PRIMARY KEY,
       key_id     text COLLATE "C" NOT NULL,
       created_at bigint NOT NULL,
       expires_at bigint
     )`,
    "CREATE INDEX key_secrets_by_key ON {key_secrets} (key_id)",
    `CREATE TABLE {requests} (
       key_id text COLLATE "C" NOT NULL,
       day    integer NOT NULL,
       status integer NOT NULL,
       count  bigint NOT NULL,
       PRIMARY KEY (key_id, day, status)
     )`,
    `CREATE TABLE {days} (
       key_id    text COLLATE "C" NOT NULL,
       day       integer NOT NULL,
       records   bigint NOT NULL,
       last_seen bigint NOT NULL,
       PRIMARY KEY (key_id, day)
     )`,
    `CREATE TABLE {budgets} (
       key_id   text COLLATE "C" NOT NULL,
       day      integer NOT NULL,
       counter  bytea NOT NULL,
       exceeded bigint,
       PRIMARY KEY (key_id, day)
     )`,
  ],
];
