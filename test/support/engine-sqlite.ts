/** Reads and damages the inside of a shard in SQLite. The only test code that knows its tables, indexes and pages. */

import { Database } from "bun:sqlite";
import { closeSync, existsSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { DECLARED } from "../../src/store/all-tables/declared.ts";
import { FORMAT } from "../../src/store/formats.ts";
import { PLAYERS, type PlayerColumns } from "../../src/store/tables.ts";
import {
  chosen,
  fieldsOf,
  type Kind,
  type NewValues,
  newValues,
  type Row,
  readColumns,
  setColumns,
  TABLES,
  type Table,
  type Which,
} from "./engine.ts";

/** SQL without the braces around names of tables. */
const plain = (sql: string): string => sql.replaceAll(/\{(\w+)\}/g, "$1");

const INDEXES = {
  "records by id": "sqlite_autoindex_records_1",
  "matches by id": "sqlite_autoindex_documents_1",
  "matches by mode": "matches_by_mode",
  "matches by patch": "matches_by_patch",
  "players by id": "sqlite_autoindex_players_1",
  "players by name": "players_by_name",
  "players by last match": "players_by_last_match",
  "teams by name": "teams_by_name",
  "players by skill tier": "players_by_tier",
  "players by ranked wins": "players_by_ranked_wins",
  "players by win rate": "players_by_win_rate",
  "players by streak": "players_by_streak",
  "recent players by wins": "recent_by_wins",
  "recent players by win rate": "recent_by_win_rate",
};
export type Index = keyof typeof INDEXES;

/** What has pages of its own. */
export type Stored = Kind | Index | "the schema";

const storedName = (stored: Stored): string =>
  stored === "the schema"
    ? "sqlite_schema"
    : stored in INDEXES
      ? INDEXES[stored as Index]
      : TABLES[stored as Kind].table;

/** Uses a file without any code of the store, and copies what changed from the WAL into the file. */
function inFile<T>(path: string, work: (database: Database) => T): T {
  const database = new Database(path);
  try {
    const done = work(database);
    database.run("PRAGMA wal_checkpoint(TRUNCATE)");
    return done;
  } finally {
    database.close();
  }
}

/** Copies everything from the WAL into the file. */
export const settle = (path: string): void => inFile(path, () => {});

type Located = Row & { locator: (string | number)[] };

function read(database: Database, table: Table): Located[] {
  const { key, where = "true" } = table;
  const located = key.map((column, at) => `one.${column} AS locator${at}`);
  const order = key.map((column) => `one.${column}`);
  const sql = `SELECT ${[...readColumns(table), ...located]} FROM ${table.table} AS one
    WHERE ${where} ORDER BY ${order}`;
  return database
    .query<Record<string, unknown>, []>(plain(sql))
    .all()
    .map((row) => ({ ...row, locator: key.map((_, at) => row[`locator${at}`]) }) as Located);
}

function change(database: Database, kind: Kind, which: Which, values: NewValues): void {
  const table = TABLES[kind];
  const where = table.key.map((column) => `${column} = ?`).join(" AND ");
  let changed = 0;
  for (const [row, at] of chosen(read(database, table), which, table)) {
    const to = newValues(values, row, at);
    const fields = fieldsOf(to);
    // What would be the same entry as another one stays.
    const sql = `UPDATE OR IGNORE ${table.table} SET ${setColumns(table, fields)} WHERE ${where}`;
    const bound = fields.map((field) => to[field]!);
    changed += database.query(plain(sql)).run(...bound, ...(row as Located).locator).changes;
  }
  if (changed === 0) throw new Error(`no ${kind} was changed`);
}

function remove(database: Database, kind: Kind, which: Which): void {
  const table = TABLES[kind];
  const where = table.key.map((column) => `${column} = ?`).join(" AND ");
  const rows = chosen(read(database, table), which, table);
  if (rows.length === 0) throw new Error(`no ${kind} was removed`);
  const statement = database.query(`DELETE FROM ${table.table} WHERE ${where}`);
  for (const [row] of rows) statement.run(...(row as Located).locator);
}

export function sqliteRows(path: string) {
  return {
    rows: (kind: Kind, which: Which = {}): Row[] =>
      inFile(path, (database) =>
        chosen(read(database, TABLES[kind]), which, TABLES[kind]).map(([row]) => row),
      ),
    change: (kind: Kind, which: Which, values: NewValues) =>
      inFile(path, (database) =>
        database.transaction(() => change(database, kind, which, values))(),
      ),
    remove: (kind: Kind, which: Which = {}) =>
      inFile(path, (database) => database.transaction(() => remove(database, kind, which))()),
    /** Remembers the rows of a kind; call the result to restore them. */
    keep(kind: Kind) {
      const { table } = TABLES[kind];
      const kept = inFile(path, (database) => database.query(`SELECT * FROM ${table}`).values());
      return () =>
        inFile(path, (database) =>
          database.transaction(() => {
            database.run(`DELETE FROM ${table}`);
            for (const row of kept) {
              const places = row.map(() => "?").join();
              database.query(`INSERT INTO ${table} VALUES (${places})`).run(...(row as string[]));
            }
          })(),
        );
    },
    /** Makes the rows of a kind unreadable; call the result to bring them back. */
    hide(kind: Kind) {
      const { table } = TABLES[kind];
      inFile(path, (database) => database.run(`ALTER TABLE ${table} RENAME TO hidden_rows`));
      return () =>
        void inFile(path, (database) => database.run(`ALTER TABLE hidden_rows RENAME TO ${table}`));
    },
    /** Changes the tables as a newer version would. */
    changeFormat: () =>
      inFile(path, (database) => {
        database.run("ALTER TABLE documents RENAME COLUMN document TO body");
        database.run(`PRAGMA user_version = ${FORMAT + 1}`);
      }),
  };
}

/** Reads the shard in a transaction that stays open until the result is called, so that its WAL stays. */
export function readOn(path: string): () => void {
  const database = new Database(path);
  database.run("BEGIN");
  database.query("SELECT count(*) FROM matches").get();
  return () => {
    database.run("COMMIT");
    database.close();
  };
}

/** Holds the file open until the result is called, so that its WAL stays, and removes the rows of these kinds. */
export function holdOpen(path: string, ...removed: Kind[]): () => void {
  const database = new Database(path);
  database.run("SELECT 1 FROM matches");
  for (const kind of removed) remove(database, kind, {});
  return () => database.close();
}

/** Gives all rows the state of a backup, in one transaction. */
export function restoreRows(path: string, backup: string): void {
  inFile(path, (database) => {
    database.run(`ATTACH '${backup}' AS kept`);
    const tables = database
      .query<{ name: string }, []>("SELECT name FROM main.sqlite_master WHERE type = 'table'")
      .all();
    database.transaction(() => {
      for (const { name } of tables) {
        database.run(`DELETE FROM main.${name}`);
        database.run(`INSERT INTO main.${name} SELECT * FROM kept.${name}`);
      }
    })();
  });
}

/** Gives the first player another resource, without damage: the checksum is right. */
export function replaceFirstPlayer(path: string, resource: (id: string) => Uint8Array): void {
  inFile(path, (database) => {
    const row = database.query<PlayerColumns, []>("SELECT * FROM players LIMIT 1").get()!;
    const other = resource(row.id);
    database
      .query("UPDATE players SET resource = ?, checksum = ? WHERE id = ?")
      .run(other, PLAYERS.checksum({ ...row, resource: other }), row.id);
  });
}

/** Every value that the digest of a shard covers, without its indexes. */
export function coveredByDigest(path: string): unknown[] {
  const database = new Database(path, { readonly: true });
  try {
    return [
      "id, created_at, reason, carried FROM records",
      "id, document FROM documents",
      "num, id, name, last_match_at, streak, played, wins, gold, resource, linked FROM players",
      "num, id, name, resource, linked FROM teams",
    ].map((rest) => database.query(`SELECT ${rest} NOT INDEXED`).values());
  } finally {
    database.close();
  }
}

const PAGE_SIZE = 8192;

/** Overwrites a page with what is not part of any table. */
export function overwritePage(path: string, page: number): void {
  const bytes = Buffer.alloc(PAGE_SIZE, "no page of a table looks like this. ");
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, PAGE_SIZE, (page - 1) * PAGE_SIZE);
  closeSync(file);
}

/** The pages of rows or of an index: its root first. */
export function pagesOf(path: string, stored: Stored, type?: "leaf" | "internal"): number[] {
  // Not read-only: it would leave a WAL.
  const database = new Database(path);
  const pages = database
    .query<{ pageno: number }, [string, string | null]>(
      "SELECT pageno FROM dbstat WHERE name = ?1 AND (?2 IS NULL OR pagetype = ?2) ORDER BY path",
    )
    .all(storedName(stored), type ?? null);
  database.close();
  return pages.map(({ pageno }) => pageno);
}

/** A byte of the shard: in its file, or in its WAL, if that has the current state of the page. */
export interface Place {
  file: string;
  at: number;
}

const FRAME_HEADER = 24;
const WAL_HEADER = 32;

/** Where each page is that is in the WAL: its last frame counts. */
function pagesInWal(path: string): Map<number, number> {
  const places = new Map<number, number>();
  if (!existsSync(`${path}-wal`)) return places;
  const wal = readFileSync(`${path}-wal`);
  const salt = wal.subarray(16, 24);
  for (let at = WAL_HEADER; at + FRAME_HEADER < wal.length; at += FRAME_HEADER + PAGE_SIZE) {
    // Frames of an earlier round have another salt.
    if (!wal.subarray(at + 8, at + 16).equals(salt)) break;
    places.set(wal.readUInt32BE(at), at + FRAME_HEADER);
  }
  return places;
}

/** All bytes in use on the leaf pages of these rows and indexes: headers, offsets of entries, and entries. */
export function usedBytes(path: string, ...stored: Stored[]): Place[] {
  const inWal = pagesInWal(path);
  const files = new Map<string, Buffer>();
  return stored
    .flatMap((one) => pagesOf(path, one, "leaf"))
    .flatMap((page) => {
      const frame = inWal.get(page);
      const file = frame === undefined ? path : `${path}-wal`;
      if (!files.has(file)) files.set(file, readFileSync(file));
      const start = frame ?? (page - 1) * PAGE_SIZE;
      const bytes = files.get(file)!;
      const pointers = 8 + 2 * bytes.readUInt16BE(start + 3);
      const content = bytes.readUInt16BE(start + 5);
      return Array.from({ length: PAGE_SIZE }, (_, at) => at)
        .filter((at) => at < pointers || at >= content)
        .map((at) => ({ file, at: start + at }));
    });
}

const DECLARED_NAMES = DECLARED.flatMap(({ name, indexes }) => [
  ...[name, ...indexes.map((index) => index.name)],
]);

/** Whether a shard has it: what belongs to a feature that is removed is not there. */
export const isDeclared = (stored: Stored): boolean =>
  storedName(stored).startsWith("sqlite_") || DECLARED_NAMES.includes(storedName(stored));

const ALL_STORED_INDEXES = (Object.keys(INDEXES) as Index[]).filter(isDeclared);

/** All rows and indexes that a request reads. */
export const ALL_READ: readonly Stored[] = [
  ...(["match", "listed match", "player", "team", "player entry", "team entry"] as const),
  ...(["name entry", "recent board entry", "hero statistics", "shard"] as const).filter(isDeclared),
  ...ALL_STORED_INDEXES,
];

/** All that leads to rows. */
export const ALL_INDEXES: readonly Stored[] = [
  ...(["listed match", "player entry", "team entry", "name entry"] as const).filter(isDeclared),
  ...ALL_STORED_INDEXES,
];

/** Gives a byte another value. */
export function flip({ file, at }: Place, by: number): void {
  const open = openSync(file, "r+");
  const byte = Buffer.alloc(1);
  readSync(open, byte, 0, 1, at);
  byte[0]! ^= by;
  writeSync(open, byte, 0, 1, at);
  closeSync(open);
}

/** Commits a transaction that changes nothing, so that readers do not use their cached pages. Damage may prevent it. */
export function commitNothing(path: string): void {
  let database: Database | undefined;
  try {
    database = new Database(path);
    database.run(`PRAGMA user_version = ${FORMAT}`);
  } catch {
    // Then nothing is written, and SQLite keeps its cache.
  } finally {
    database?.close();
  }
}

/** Removes the last entry of an index that has a single page, by its count of entries. */
export function dropLastEntry(path: string, index: Index): void {
  changePage(path, index, (page) => page.writeUInt16BE(page.readUInt16BE(3) - 1, 3));
}

/** Makes all values of the first entry null, by the size of its header. */
export function emptyFirstEntry(path: string, index: Index): void {
  changePage(path, index, (page) => page.writeUInt8(0, page.readUInt16BE(8) + 1));
}

/** Gives a value of the first entry another type in its header. */
export const retypeFirst =
  (value: number, to: (type: number) => number) => (path: string, index: Index) =>
    changePage(path, index, (page) => {
      const at = page.readUInt16BE(8) + 2 + value;
      page[at] = to(page[at]!);
    });

/** Lists the first entry instead of the second one as well. */
export function repeatFirstEntry(path: string, index: Index): void {
  changePage(path, index, (page) => page.copyWithin(10, 8, 10));
}

const LEAF_OF_INDEX = 10;

function changePage(path: string, index: Index, change: (page: Buffer) => void): void {
  const { number, size } = inFile(
    path,
    (database) =>
      database
        .query<{ number: number; size: number }, [string]>(
          `SELECT rootpage AS number, page_size AS size FROM sqlite_schema, pragma_page_size
           WHERE name = ?`,
        )
        .get(INDEXES[index])!,
  );
  const file = openSync(path, "r+");
  const page = Buffer.alloc(size);
  readSync(file, page, 0, size, (number - 1) * size);
  if (page[0] !== LEAF_OF_INDEX) throw new Error(`${index} has several pages`);
  change(page);
  writeSync(file, page, 0, size, (number - 1) * size);
  closeSync(file);
}
