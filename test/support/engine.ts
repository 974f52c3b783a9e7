/**
 * What tests do to the inside of a shard: read, change and remove rows behind the back of the store, so that their
 * checksums stay. Tests name rows and values in the words below; which tables and columns they are, only this file,
 * engine-sqlite.ts and engine-postgres.ts know.
 */

export type Kind =
  /** The document of a served match. */
  | "match"
  /** The document of a withheld one. */
  | "withheld match"
  /** A match in the list by time, mode and patch. */
  | "listed match"
  /** The record of a served match: its players and teams as they were. */
  | "snapshot"
  /** The record of a withheld match. */
  | "withheld"
  | "player"
  | "team"
  /** A match in the list of one of its players. */
  | "player entry"
  /** A match in the list of one of its teams. */
  | "team entry"
  /** A name under one of its search keys. */
  | "name entry"
  /** What pruned matches left behind for a player. */
  | "player base"
  /** A player on the boards of the last 28 days. */
  | "recent board entry"
  | "hero statistics"
  | "redaction"
  /** How many records prove that a player is ranked. */
  | "evidence"
  /** A withheld record that depends on whether a player is ranked. */
  | "dependent"
  | "word"
  /** How far a derived table is built. */
  | "derived table"
  /** What a transaction changed: players and teams, for the caches of readers, and served matches, for the change feed. */
  | "commit"
  /** Totals, last change and prune cutoff. */
  | "shard";

/** All that a row can have; each kind has some of it. */
export interface Row {
  id: string;
  /** The id of the match, player or team. */
  match: string;
  player: string;
  team: string;
  /** The match that an entry leads to. */
  leadsTo: string;
  name: string;
  key: string;
  word: string;
  hero: string;
  createdAt: number;
  lastMatchAt: number;
  redactedAt: number;
  mode: string;
  patch: string;
  reason: string;
  document: Uint8Array;
  snapshot: Uint8Array;
  resource: Uint8Array;
  linked: Uint8Array;
  /** Of an entry: 0 lost, 1 won, 2 did not take part. */
  result: number;
  takesPart: boolean | number;
  played: number;
  wins: number;
  rankedWins: number;
  winRate: number;
  skillTier: number;
  streak: number;
  gold: string;
  records: number;
  /** Of a change, its place in the log; of the shard, that of the last change. */
  sequence: number;
  players: Uint8Array | number;
  matches: number;
  changes: string;
  checksum: number;
  /** The internal number of a player or team. */
  number: number;
}

export type Field = keyof Row;

/** Damage may have any type. */
export type Value = string | number | boolean | null | Uint8Array;
export type Values = Partial<Record<Field, Value>>;

/** Rows with these values, or for which this returns true (`at` counts the rows of the kind), or the first or last. */
export type Which = Values | ((row: Row, at: number) => boolean) | "first" | "last";
export type NewValues = Values | ((row: Row, at: number) => Values);

type Awaitable<T> = T | Promise<T>;

export interface ShardRows {
  /** The rows of a kind, in the order of their storage in SQLite, of their first value in PostgreSQL. */
  rows(kind: Kind, which?: Which): Awaitable<Row[]>;
  /** Changes rows, but not their checksums. Throws if there is none. */
  change(kind: Kind, which: Which, values: NewValues): Awaitable<void>;
  /** Throws if there is none. */
  remove(kind: Kind, which?: Which): Awaitable<void>;
}

/** One damage, as a table of tests lists it. */
export type Damage =
  | { change: Kind; which?: Which; to: NewValues }
  | { remove: Kind; which?: Which };

export async function inflict(rows: ShardRows, ...damages: Damage[]): Promise<void> {
  for (const damage of damages) {
    if ("change" in damage) await rows.change(damage.change, damage.which ?? {}, damage.to);
    else await rows.remove(damage.remove, damage.which);
  }
}

/** A column, or SQL that reads and SQL that writes it; `?` is the value. Names of tables are in braces. */
export type Column = string | { read: string; write: string };

export interface Table {
  table: string;
  /** What identifies a row in SQLite. */
  key: readonly string[];
  columns: Partial<Record<Field, Column>>;
  /** Which rows of the table are of this kind. */
  where?: string;
}

/** A number that stands for an id. No row has the last one. */
const numbered = (table: string, column: string): Column => ({
  read: `(SELECT id FROM {${table}} AS other WHERE other.num = one.${column})`,
  write: `${column} = coalesce((SELECT num FROM {${table}} WHERE id = ?), 7777)`,
});

const DOCUMENTS = {
  table: "documents",
  key: ["rowid"],
  columns: { id: "id", document: "document" },
} as const;
const RECORDS = {
  table: "records",
  key: ["rowid"],
  columns: {
    id: "id",
    match: "id",
    createdAt: "created_at",
    reason: "reason",
    snapshot: "carried",
    checksum: "checksum",
  },
} as const;

export const TABLES: Record<Kind, Table> = {
  match: { ...DOCUMENTS, where: "id IN (SELECT id FROM {records} WHERE reason IS NULL)" },
  "withheld match": {
    ...DOCUMENTS,
    where: "id IN (SELECT id FROM {records} WHERE reason IS NOT NULL)",
  },
  "listed match": {
    table: "matches",
    key: ["created_at", "id"],
    columns: { id: "id", createdAt: "created_at", mode: "game_mode", patch: "patch_version" },
  },
  snapshot: { ...RECORDS, where: "reason IS NULL" },
  withheld: { ...RECORDS, where: "reason IS NOT NULL" },
  player: {
    table: "players",
    key: ["rowid"],
    columns: {
      id: "id",
      name: "name",
      lastMatchAt: "last_match_at",
      streak: "streak",
      played: "played",
      wins: "wins",
      gold: "gold",
      resource: "resource",
      linked: "linked",
      rankedWins: "ranked_wins",
      skillTier: "skill_tier",
      winRate: "win_rate",
      checksum: "checksum",
      number: "num",
    },
  },
  team: {
    table: "teams",
    key: ["rowid"],
    columns: { id: "id", name: "name", resource: "resource", linked: "linked", number: "num" },
  },
  "player entry": {
    table: "player_matches",
    key: ["player", "created_at", "match_id"],
    columns: {
      match: "match_id",
      player: numbered("players", "player"),
      leadsTo: "match_id",
      createdAt: "created_at",
      result: "result",
    },
  },
  "team entry": {
    table: "team_matches",
    key: ["team", "created_at", "match_id"],
    columns: {
      match: "match_id",
      team: numbered("teams", "team"),
      leadsTo: "match_id",
      createdAt: "created_at",
      takesPart: "plays",
    },
  },
  "name entry": {
    table: "name_index",
    key: ["key", "name"],
    columns: { key: "key", name: "name" },
  },
  "player base": {
    table: "player_base",
    key: ["rowid"],
    columns: { id: "id", played: "played", checksum: "checksum" },
  },
  "recent board entry": {
    table: "player_recent",
    key: ["id"],
    columns: { id: "id", played: "played", wins: "wins", winRate: "win_rate" },
  },
  "hero statistics": {
    table: "hero_stats",
    key: ["rowid"],
    columns: {
      hero: "hero",
      mode: "game_mode",
      patch: "patch_version",
      wins: "wins",
    },
  },
  redaction: {
    table: "redactions",
    key: ["player_id"],
    columns: { player: "player_id", redactedAt: "redacted_at" },
  },
  "derived table": { table: "derived", key: ["name"], columns: { name: "name" } },
  evidence: {
    table: "ranked_evidence",
    key: ["player_id"],
    columns: { player: "player_id", records: "records" },
  },
  dependent: {
    table: "dependents",
    key: ["player_id", "match_id"],
    columns: { player: "player_id", match: "match_id" },
  },
  word: { table: "vocabulary", key: ["word"], columns: { word: "word", records: "records" } },
  commit: {
    table: "changes",
    key: ["rowid"],
    columns: { sequence: "sequence", players: "players", changes: "matches" },
  },
  shard: {
    table: "shard",
    key: ["rowid"],
    columns: {
      matches: "matches",
      players: "players",
      sequence: "sequence",
      checksum: "checksum",
      id: "id",
    },
  },
};

/** The SQL that reads each field of a row. */
export const readColumns = ({ columns }: Table): string[] =>
  (Object.keys(columns) as Field[]).map((field) => {
    const column = columns[field]!;
    return `${typeof column === "string" ? `one.${column}` : column.read} AS "${field}"`;
  });

/** The SQL that writes fields of a row. */
export const setColumns = (table: Table, fields: readonly Field[]): string[] =>
  fields.map((field) => {
    const column = columnOf(table, field);
    return typeof column === "string" ? `${column} = ?` : column.write;
  });

function columnOf({ table, columns }: Table, field: Field): Column {
  const column = columns[field];
  if (column === undefined) throw new Error(`the rows of ${table} have no ${field}`);
  return column;
}

/** The rows that are meant, each with its position among all. */
export function chosen(rows: Row[], which: Which, table: Table): [row: Row, at: number][] {
  if (which === "first") return rows.slice(0, 1).map((row) => [row, 0]);
  if (which === "last") return rows.slice(-1).map((row) => [row, rows.length - 1]);
  if (typeof which === "object") for (const field of fieldsOf(which)) columnOf(table, field);
  const isMeant =
    typeof which === "function"
      ? which
      : (row: Row) => fieldsOf(which).every((field) => row[field] === which[field]);
  return rows.flatMap((row, at): [Row, number][] => (isMeant(row, at) ? [[row, at]] : []));
}

export const fieldsOf = (values: Values): Field[] => Object.keys(values) as Field[];

export const newValues = (values: NewValues, row: Row, at: number): Values =>
  typeof values === "function" ? values(row, at) : values;

/** The same bytes with one inverted: `at` counts from the end if it is negative. */
export function inverted(bytes: Uint8Array, at: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[at < 0 ? bytes.length + at : at]! ^= 0xff;
  return changed;
}

/** The same bytes with others written over them. */
export function overwritten(bytes: Uint8Array, at: number, others: number[]): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed.set(others, at);
  return changed;
}

/** The same document, with the internal number of its first player changed, as one flipped byte would. */
export const withOtherPlayer = (document: Uint8Array): Uint8Array =>
  overwritten(document, 17, [document[17]! ^ 4]);
