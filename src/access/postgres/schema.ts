/** The tables of keys, usage, hooks and redactions in PostgreSQL. */

import type { Tables } from "../key-database.ts";

/** Tables of one schema that are migrated together. */
export interface TableGroup extends Tables {
  /** The table with their version. */
  format: string;
}

export const KEY_TABLES: TableGroup = {
  format: "format",
  create: [
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
    `CREATE TABLE {quota_log} (
       position bigint PRIMARY KEY,
       key_id   text COLLATE "C" NOT NULL,
       day      integer NOT NULL,
       matches  bytea NOT NULL
     )`,
    // One row. Updating it serialises writers, so that positions become visible in their order.
    "CREATE TABLE {quota_log_end} (position bigint NOT NULL)",
    "INSERT INTO {quota_log_end} VALUES (0)",
    `CREATE TABLE {redactions} (
       position    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       shard       text NOT NULL,
       player_id   text NOT NULL,
       redacted_at bigint NOT NULL,
       checksum    bigint NOT NULL
     )`,
  ],
  migrations: [],
};

/** With a version of their own: instances without hooks can still open the keys. */
export const HOOK_TABLES: TableGroup = {
  format: "hooks_format",
  create: [
    `CREATE TABLE {hooks} (
       id         text COLLATE "C" PRIMARY KEY,
       created_at bigint NOT NULL,
       version    bigint NOT NULL,
       state      text NOT NULL
     )`,
    "CREATE TABLE {hook_lease} (owner text NOT NULL, valid_until bigint NOT NULL)",
    "INSERT INTO {hook_lease} VALUES ('', 0)",
  ],
  migrations: [],
};
