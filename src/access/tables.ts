/** The tables of keys, usage and redactions, and how tables beside the shards are declared, once for both engines. */

import {
  bigint,
  bytes,
  declareTable,
  integer,
  nullable,
  type TableShape,
  text,
} from "../store/table.ts";

/** Tables that are created together: a file in SQLite, a part of the schema in PostgreSQL. */
export interface AccessTables {
  /** What is in them, e.g. "keys". */
  name: string;
  tables: readonly TableShape[];
  /** Statements that add the rows which are always there. */
  rows?: readonly string[];
  /** SQL that counts what operators would count, in a column with its name, e.g. "keys". */
  count: string;
  /** The file in SQLite. */
  file: string;
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

const KEYS = declareTable("keys", {
  columns: {
    id: text,
    name: text,
    note: nullable(text),
    tier: nullable(text),
    rate: nullable(bigint),
    burst: nullable(bigint),
    matches_per_day: nullable(bigint),
    shards: nullable(text),
    created_at: bigint,
    expires_at: nullable(bigint),
    revoked_at: nullable(bigint),
  },
  key: ["id"],
  isChecked: false,
});

/** A key has two secrets while it is rotated. */
const KEY_SECRETS = declareTable("key_secrets", {
  columns: { hash: text, key_id: text, created_at: bigint, expires_at: nullable(bigint) },
  key: ["hash"],
  isChecked: false,
  indexes: [{ name: "key_secrets_by_key", on: "key_id" }],
});

export const KEY_TABLES: AccessTables = {
  name: "keys",
  tables: [KEYS, KEY_SECRETS],
  count: "SELECT count(*) AS keys FROM {keys}",
  file: "access.sqlite",
  synchronous: "FULL",
  // An empty one would end every key.
  isReplaceable: false,
  ifDamaged: "restore it from a backup",
};

const REQUESTS = declareTable("requests", {
  columns: {
    key_id: text,
    day: integer,
    status: integer,
    requests: bigint,
    records: bigint,
    last_seen: bigint,
  },
  key: ["key_id", "day", "status"],
  isChecked: false,
});

const QUOTA_LOG = declareTable("quota_log", {
  columns: { position: bigint, key_id: text, day: integer, matches: bytes },
  key: ["position"],
  number: "position",
  isChecked: false,
});

/** One row. In PostgreSQL, updating it serialises writers, so that positions become visible in their order. */
const QUOTA_LOG_END = declareTable("quota_log_end", {
  columns: { id: integer, position: bigint },
  key: ["id"],
  isChecked: false,
});

/** A separate file: it is written every two seconds, and keys are reloaded when their file changes. */
export const USAGE_TABLES: AccessTables = {
  name: "usage",
  tables: [REQUESTS, QUOTA_LOG, QUOTA_LOG_END],
  rows: ["INSERT INTO {quota_log_end} VALUES (1, 0)"],
  count: "SELECT count(DISTINCT day) AS days FROM {requests}",
  file: "usage.sqlite",
  synchronous: "NORMAL",
  isReplaceable: true,
  ifDamaged: "restore it from a backup, or move it elsewhere: then a new one is created",
};

/** No other index, so that a damaged entry does not affect the others. */
const REDACTIONS = declareTable("redactions", {
  columns: {
    position: bigint,
    shard: text,
    player_id: text,
    redacted_at: bigint,
    checksum: bigint,
  },
  key: ["position"],
  number: "position",
  isChecked: false,
});

/** A separate file: a restored backup of keys must not replace it. */
export const REDACTION_TABLES: AccessTables = {
  name: "redactions",
  tables: [REDACTIONS],
  count: "SELECT count(*) AS redactions FROM {redactions}",
  file: "redactions.sqlite",
  synchronous: "FULL",
  isReplaceable: true,
  ifDamaged:
    "move it elsewhere, and run 'matchbook redact SHARD' for each shard, which lists the redactions of the shard again",
};

/** One row. It is incremented with each change of keys, so that polling reads one number. */
const CHANGES = declareTable("changes", {
  columns: { id: integer, version: bigint },
  key: ["id"],
  isChecked: false,
});

/** All of these in PostgreSQL. */
export const SHARED_TABLES: Pick<AccessTables, "tables" | "rows"> = {
  tables: [
    CHANGES,
    ...[KEY_TABLES, USAGE_TABLES, REDACTION_TABLES].flatMap(({ tables }) => tables),
  ],
  rows: ["INSERT INTO {changes} VALUES (1, 1)", ...USAGE_TABLES.rows!],
};
