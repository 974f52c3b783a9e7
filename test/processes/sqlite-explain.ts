/** The cost of pages in SQLite: steps are bounded by the page, not by the shard. */

import { dlopen, FFIType, type Pointer, ptr } from "bun:ffi";
import type { Database, SQLQueryBindings } from "bun:sqlite";
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { openForReading, openForWriting } from "../../src/store/sqlite/open.ts";
import { SqliteReader } from "../../src/store/sqlite/reader.ts";
import { SqliteWriter } from "../../src/store/sqlite/writer.ts";
import { fillLargely, LIMIT, rowsOf, STRANGER } from "../support/large.ts";
import { sharedFolder } from "../support/shared.ts";
import { testCosts, watched } from "./read-costs.ts";

const folder = sharedFolder();
const path = join(folder, "large.db");

beforeAll(async () => {
  const writer = new SqliteWriter(openForWriting(path, "na"));
  await fillLargely(writer);
  await writer.close();
});

function costOfAsking(ask: (reader: SqliteReader) => void, isMeant: RegExp) {
  const { database, runs } = notingRuns(openForReading(path)!);
  const reader = new SqliteReader(database, 0);
  ask(reader);
  const finding = runs.filter(({ sql }) => isMeant.test(sql));
  const { instructions, sorts, unindexed } = stepsOf(path, finding);
  reader.close();
  expect(sorts).toBe(0);
  return { cost: instructions, unindexed, says: finding.map(({ sql }) => sql).join("\n") };
}

/** Per row found and read, and per statement without rows. */
const A_ROW = 16;
const A_STATEMENT = 30;

testCosts({
  /** The statements that find the matches of a page. */
  page(selection) {
    const found = costOfAsking((reader) => reader.matches(selection), / AS here\b|count\(\*\)/);
    // Unknown players are not searched; otherwise the statement now has another form.
    const isKnown = !selection.players.flat().includes(STRANGER);
    expect([/ AS here\b/.test(found.says), found.cost > 0]).toEqual([isKnown, isKnown]);
    if (rowsOf(selection).length <= 1) expect(found.unindexed).toBe(0);
    return [found];
  },
  lookups({ table, read }) {
    const found = costOfAsking((reader) => reader.read(read), new RegExp(table));
    expect([found.says.includes(table), found.unindexed]).toEqual([true, 0]);
    return [found];
  },
  most: {
    // Each value is scanned by a little more than its share, plus one entry behind.
    byOne: (values) => A_ROW * (2 * LIMIT + 4 * values) + 2 * values * A_STATEMENT,
    // Scans one with lookups in the others, after comparing them.
    bySeveral: (filters, shortest) =>
      filters * (3 * A_ROW * shortest + 64 * A_ROW + 4 * A_STATEMENT),
    entries: (entries, keys) => A_ROW * entries + 2 * keys * A_STATEMENT,
    row: A_ROW,
  },
});

test("players with a name are looked up by index", () => {
  const { cost, unindexed } = costOfAsking(
    (reader) => reader.playersNamed(["name of p1", "nobody"], 6, 3),
    /FROM players WHERE name/,
  );
  expect([cost > 0, unindexed]).toEqual([true, 0]);
  expect(cost).toBeLessThan(2 * (3 * A_ROW + A_STATEMENT));
});

interface Run {
  sql: string;
  values: SQLQueryBindings[];
}

/** Records and runs statements. */
function notingRuns(database: Database): { database: Database; runs: Run[] } {
  const runs: Run[] = [];
  const wrapped = watched(database, (name, [sql]) => {
    if (name !== "prepare" && name !== "query") return;
    return watched(database.prepare(sql as string), (method, values) => {
      if (["values", "get", "all", "iterate"].includes(method)) {
        runs.push({ sql: sql as string, values: values as SQLQueryBindings[] });
      }
    });
  });
  return { database: wrapped, runs };
}

interface Steps {
  /** SQLite VM instructions: ten to twenty per row read. */
  instructions: number;
  /** Rows scanned without an index. */
  unindexed: number;
  sorts: number;
}

/** The cost of statements on a file. */
function stepsOf(path: string, runs: readonly Run[]): Steps {
  const { symbols: sqlite } = openLibrary();
  const handle = new BigUint64Array(1);
  ok(sqlite.sqlite3_open_v2(text(path), ptr(handle), READ_ONLY, null));
  const database = Number(handle[0]) as Pointer;
  const steps: Steps = { instructions: 0, unindexed: 0, sorts: 0 };
  for (const { sql, values } of runs) {
    ok(sqlite.sqlite3_prepare_v2(database, text(sql), -1, ptr(handle), null));
    const statement = Number(handle[0]) as Pointer;
    values.forEach((value, at) => {
      if (typeof value === "number")
        ok(sqlite.sqlite3_bind_int64(statement, at + 1, BigInt(value)));
      else ok(sqlite.sqlite3_bind_text(statement, at + 1, text(String(value)), -1, COPIED));
    });
    while (sqlite.sqlite3_step(statement) === ROW);
    steps.unindexed += sqlite.sqlite3_stmt_status(statement, FULLSCAN_STEP, 1);
    steps.sorts += sqlite.sqlite3_stmt_status(statement, SORT, 1);
    steps.instructions += sqlite.sqlite3_stmt_status(statement, VM_STEP, 1);
    sqlite.sqlite3_finalize(statement);
  }
  sqlite.sqlite3_close(database);
  return steps;
}

const READ_ONLY = 1;
const ROW = 100;
const FULLSCAN_STEP = 1;
const SORT = 2;
const VM_STEP = 4;
const COPIED = -1n;

function openLibrary() {
  const { ptr: pointer, i32, i64, cstring: _ } = FFIType;
  try {
    return dlopen("libsqlite3.so.0", {
      sqlite3_open_v2: { args: [pointer, pointer, i32, pointer], returns: i32 },
      sqlite3_prepare_v2: { args: [pointer, pointer, i32, pointer, pointer], returns: i32 },
      sqlite3_bind_int64: { args: [pointer, i32, i64], returns: i32 },
      sqlite3_bind_text: { args: [pointer, i32, pointer, i32, i64], returns: i32 },
      sqlite3_step: { args: [pointer], returns: i32 },
      sqlite3_stmt_status: { args: [pointer, i32, i32], returns: i32 },
      sqlite3_finalize: { args: [pointer], returns: i32 },
      sqlite3_close: { args: [pointer], returns: i32 },
    });
  } catch (error) {
    throw new Error(
      `there is no SQLite library, which these tests count with: install it (apt-get install libsqlite3-0). ${error}`,
    );
  }
}

const text = (value: string): Uint8Array => Buffer.from(`${value}\0`);

function ok(code: number): void {
  if (code !== 0) throw new Error(`SQLite's library says ${code}`);
}
