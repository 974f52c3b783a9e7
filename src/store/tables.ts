/** The tables of a shard. */

import { isWholeDocument } from "./match-document.ts";
import type { NamedTable } from "./store.ts";
import {
  bigint,
  bytes,
  declareTable,
  integer,
  nullable,
  type RowIn,
  type Table,
  type TableShape,
  text,
} from "./table.ts";

/**
 * One row. `id` is that of the shard, so that its file or schema is not used as another one. `log_id` identifies the
 * change log, and `sequence` and `token` the last commit; matches that were created before `pruned_before` were removed.
 * The others are totals, and the last numbers that were assigned.
 */
export const SHARD = declareTable("shard", {
  columns: {
    id: text,
    log_id: text,
    sequence: bigint,
    token: text,
    pruned_before: nullable(bigint),
    matches: bigint,
    players: bigint,
    teams: bigint,
    last_player: integer,
    last_team: integer,
  },
  key: ["log_id"],
  hasRowids: true,
  isChecked: true,
  label: () => "row 1",
});
export type ShardColumns = RowIn<typeof SHARD>;

/**
 * The change log, a row per commit. `players` and `teams` are the numbers of those that changed, for caches; `matches`
 * is what the commit did to served matches, for callers who follow them. These changes are numbered without gaps, from
 * `first`, so that numbers say nothing about withheld records. A token is unique to a commit: after a failover, the
 * same sequence can belong to another one.
 */
export const CHANGES = declareTable("changes", {
  columns: {
    sequence: bigint,
    token: text,
    first: bigint,
    count: integer,
    committed_at: bigint,
    players: bytes,
    teams: bytes,
    matches: text,
  },
  key: ["sequence"],
  number: "sequence",
  isChecked: true,
  indexes: [{ name: "changes_by_first", on: "first", where: "count > 0" }],
});
export type ChangeRow = RowIn<typeof CHANGES>;

/**
 * Every record. `reason` says why one is withheld, and is null if it is served. `carried` has an outline of it, and its players and teams as they
 * are in the record: players are computed from it, but it is not served. `origin` is for what belongs to a record and not
 * to its content: when it was received, its source and sequence number.
 */
export const RECORDS = declareTable("records", {
  columns: {
    id: text,
    created_at: bigint,
    reason: nullable(text),
    content_hash: bytes,
    carried: bytes,
    origin: nullable(text),
  },
  key: ["id"],
  hasRowids: true,
  isInline: true,
  isChecked: true,
  indexes: [
    { name: "withheld_by_id", on: "id, reason", where: "reason IS NOT NULL" },
    { name: "withheld_by_time", on: "created_at, id", where: "reason IS NOT NULL" },
  ],
});
export type RecordRow = RowIn<typeof RECORDS>;

/** The matches of all records (match-document.ts). Apart from what is not served, which would only be in the way. */
export const DOCUMENTS = declareTable("documents", {
  columns: { id: text, document: bytes },
  key: ["id"],
  hasRowids: true,
  isInline: true,
  isChecked: false,
  checksItself: ({ id, document }) => isWholeDocument(id, document),
});

/** The served matches. Readers compare an entry with the document that it leads to. */
export const MATCHES = declareTable("matches", {
  columns: { created_at: bigint, id: text, game_mode: text, patch_version: text },
  key: ["created_at", "id"],
  isChecked: false,
  // Each of these also covers the other's filter.
  indexes: [
    { name: "matches_by_mode", on: "game_mode, created_at, id, patch_version" },
    { name: "matches_by_patch", on: "patch_version, created_at, id, game_mode" },
  ],
});
export type MatchListing = RowIn<typeof MATCHES>;

/** The players of the served matches. In this order of columns, PostgreSQL needs no padding between them. */
export const PLAYER_MATCHES = declareTable("player_matches", {
  columns: { player: integer, result: integer, created_at: bigint, match_id: text },
  key: ["player", "created_at", "match_id"],
  isChecked: false,
});

/** The teams of the served matches. */
export const TEAM_MATCHES = declareTable("team_matches", {
  columns: { team: integer, plays: integer, created_at: bigint, match_id: text },
  key: ["team", "created_at", "match_id"],
  isChecked: false,
});

/** `num` columns are internal numbers that keep indexes small; they never leave the store. */
const NAMED = { num: integer, id: text, name: text };
/** The resource, and those that only it links to. */
const SERVED = { resource: bytes, linked: nullable(bytes) };

/** Players with their totals after all served matches, and what they are ranked by (domain/rank.ts). */
export const PLAYERS = declareTable("players", {
  columns: {
    ...NAMED,
    last_match_at: bigint,
    last_match_id: text,
    streak: integer,
    played: integer,
    wins: integer,
    played_ranked: integer,
    ranked_wins: integer,
    gold: text,
    skill_tier: nullable(bigint),
    win_rate: nullable(integer),
    ...SERVED,
  },
  key: ["id"],
  number: "num",
  isChecked: true,
  indexes: [
    { name: "players_by_name", on: "name, id" },
    { name: "players_by_last_match", on: "last_match_at DESC, id" },
  ],
});
export type PlayerColumns = RowIn<typeof PLAYERS>;

export const TEAMS = declareTable("teams", {
  columns: { ...NAMED, ...SERVED },
  key: ["id"],
  number: "num",
  isChecked: true,
  indexes: [{ name: "teams_by_name", on: "name, id" }],
});
export type TeamColumns = RowIn<typeof TEAMS>;

/** A row of either table. */
export type NamedColumns = TeamColumns & Partial<Pick<PlayerColumns, "last_match_at">>;
export const NAMED_TABLES: Record<NamedTable, Table<NamedColumns, "id">> = {
  players: PLAYERS,
  teams: TEAMS,
};

/** How many stored records prove a player to be ranked. */
export const RANKED_EVIDENCE = declareTable("ranked_evidence", {
  columns: { player_id: text, records: integer },
  key: ["player_id"],
  isChecked: false,
});

/** Matches whose visibility depends on whether a player is ranked. */
export const DEPENDENTS = declareTable("dependents", {
  columns: { player_id: text, match_id: text },
  key: ["player_id", "match_id"],
  isChecked: false,
});

/** How many served records have each extra word: "path:…" or "type:…". */
export const VOCABULARY = declareTable("vocabulary", {
  columns: { word: text, records: integer },
  key: ["word"],
  isChecked: false,
});

/** Players whose names must not be stored any more. */
export const REDACTIONS = declareTable("redactions", {
  columns: { player_id: text, redacted_at: bigint },
  key: ["player_id"],
  isChecked: true,
});

/**
 * What pruned records leave behind of a player: how many proved the player to be ranked, and the totals and the latest state
 * after the served ones, which are null if none was served.
 */
export const PLAYER_BASE = declareTable("player_base", {
  columns: {
    id: text,
    ranked_evidence: integer,
    last_match_at: nullable(bigint),
    last_match_id: nullable(text),
    streak: nullable(integer),
    played: nullable(integer),
    wins: nullable(integer),
    played_ranked: nullable(integer),
    ranked_wins: nullable(integer),
    gold: nullable(text),
    snapshot: nullable(bytes),
  },
  key: ["id"],
  hasRowids: true,
  isChecked: true,
});
export type BaseRow = RowIn<typeof PLAYER_BASE>;

/**
 * How far derived tables are built: a table has the matches up to (created_at, id), or all if that is null. One that is not
 * listed, or with another version, has none.
 */
export const DERIVED = declareTable("derived", {
  columns: { name: text, version: integer, created_at: nullable(bigint), id: nullable(text) },
  key: ["name"],
  isChecked: true,
});

/**
 * What was found out about the shard as a whole: by the last complete verify ("verify"), and about commits that its WAL had
 * lost ("wal"). "verifying" is the process that verifies. `damage` is JSON.
 */
export const FINDINGS = declareTable("findings", {
  columns: { kind: text, found_at: bigint, damaged: integer, damage: text },
  key: ["kind"],
  isChecked: true,
});
export type FindingRow = RowIn<typeof FINDINGS>;

/** Without those of features. */
export const CORE_TABLES: readonly TableShape[] = [
  SHARD,
  CHANGES,
  RECORDS,
  DOCUMENTS,
  MATCHES,
  PLAYER_MATCHES,
  TEAM_MATCHES,
  PLAYERS,
  TEAMS,
  RANKED_EVIDENCE,
  DEPENDENTS,
  VOCABULARY,
  REDACTIONS,
  PLAYER_BASE,
  DERIVED,
  FINDINGS,
];
