/**
 * What tests do to the inside of a shard: read, change and remove rows behind the back of the store, so that their
 * checksums stay. Tests name rows and values in the words below; which tables and columns they are, only
 * engine-sqlite.ts and engine-postgres.ts know.
 */

export type Kind =
  /** A served match. */
  | "match"
  /** A match in the list by time, mode and patch. In SQLite, that is the row of the match. */
  | "listed match"
  /** The players and teams of a match, as they were in its record. */
  | "snapshot"
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
  | "actor statistics"
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
  /** The match whose row an entry leads to. */
  leadsTo: string;
  name: string;
  key: string;
  word: string;
  actor: string;
  createdAt: number;
  lastMatchAt: number;
  redactedAt: number;
  mode: string;
  patch: string;
  reason: string;
  /** Who took part and won, in the order of the players and teams of the document. */
  results: Uint8Array;
  document: Uint8Array;
  snapshot: Uint8Array;
  resource: Uint8Array;
  linked: Uint8Array;
  contentHash: Uint8Array;
  /** Of an entry: 0 lost, 1 won, 2 did not take part. */
  result: number;
  takesPart: boolean | number;
  played: number;
  wins: number;
  picks: number;
  rankedWins: number;
  winRate: number;
  skillTier: number;
  streak: number;
  gold: string;
  records: number;
  isPruned: number;
  /** Of a change, its place in the log; of the shard, that of the last change. */
  sequence: number;
  players: Uint8Array | number;
  matches: number;
  token: string;
  changes: string;
  prunedBefore: number;
  checksum: number;
  /** The internal number of a match, player or team. */
  number: number;
  /** The page of the table that has the row. Only in PostgreSQL, and only to read. */
  page: number;
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
  /** Removes the rows of these kinds with all that the engine has for them. */
  drop(...kinds: Kind[]): Awaitable<void>;
  /** Remembers the rows of a kind; call the result to restore them. */
  keep(kind: Kind): Awaitable<() => Awaitable<void>>;
}

/** One damage, as a table of tests lists it. */
export type RowDamage =
  | { change: Kind; which?: Which; to: NewValues }
  | { remove: Kind; which?: Which };
export type Damage = RowDamage | { drop: Kind[] };

/** Remembers the rows that a damage changes; call the result to restore them. */
export const keepFor = async (rows: ShardRows, damage: RowDamage): Promise<() => unknown> =>
  rows.keep("change" in damage ? damage.change : damage.remove);

export async function inflict(rows: ShardRows, ...damages: Damage[]): Promise<void> {
  for (const damage of damages) {
    if ("change" in damage) await rows.change(damage.change, damage.which ?? {}, damage.to);
    else if ("remove" in damage) await rows.remove(damage.remove, damage.which);
    else await rows.drop(...damage.drop);
  }
}

/** A column, or SQL that reads and SQL that writes it; `?` is the value. */
export type Column = string | { read: string; write: string };

export interface Table {
  table: string;
  columns: Partial<Record<Field, Column>>;
}

export function columnOf({ table, columns }: Table, field: Field): Column {
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
  overwritten(document, 4, [(document[4]! % 6) + 1]);
