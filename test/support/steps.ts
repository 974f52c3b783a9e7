/**
 * In charge of counting what SQLite does for statements: the runtime's own SQLite does not tell, so the
 * same statements are run once more through the system's library, which does.
 */

import { dlopen, FFIType, type Pointer, ptr } from "bun:ffi";
import type { Database, SQLQueryBindings } from "bun:sqlite";

export interface Run {
  sql: string;
  values: SQLQueryBindings[];
}

/** Notes which statements are run, and runs them. */
export function notingRuns(database: Database): { database: Database; runs: Run[] } {
  const runs: Run[] = [];
  const watched = <T extends object>(target: T, call: (name: string, args: unknown[]) => unknown) =>
    new Proxy(target, {
      get(_, name) {
        const member = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => call(String(name), args) ?? member.apply(target, args);
      },
    });
  const wrapped = watched(database, (name, [sql]) => {
    if (name !== "prepare" && name !== "query") return undefined;
    return watched(database.prepare(sql as string), (method, values) => {
      if (["values", "get", "all", "iterate"].includes(method)) {
        runs.push({ sql: sql as string, values: values as SQLQueryBindings[] });
      }
      return undefined;
    });
  });
  return { database: wrapped, runs };
}

export interface Steps {
  /** Instructions of SQLite's machine: some ten to twenty for each row that is looked at. */
  instructions: number;
  /** Rows that were walked over without an index. */
  unindexed: number;
  sorts: number;
}

/** What statements cost on a file. */
export function stepsOf(path: string, runs: readonly Run[]): Steps {
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
