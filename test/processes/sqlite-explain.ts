/** The cost of pages in SQLite: steps are bounded by the page, not by the shard. */

import { dlopen, FFIType, type Pointer, ptr } from "bun:ffi";
import type { Database, SQLQueryBindings } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { NameSearch } from "../../src/features/name-search/similar-names.ts";
import { lookupsIn } from "../../src/features/name-search/stored.ts";
import { openForReading, openForWriting } from "../../src/store/sqlite/open.ts";
import { SqliteReader } from "../../src/store/sqlite/reader.ts";
import { SqliteWriter } from "../../src/store/sqlite/writer.ts";
import type { Selection } from "../../src/store/store.ts";
import {
  COMBINATIONS,
  fillLargely,
  LIMIT,
  MATCHES,
  PAGE_STARTS,
  rowsOf,
  SINGLE_FILTERS,
  STRANGER,
  TYPED_NAMES,
  WINDOW,
} from "../support/large.ts";
import { aFolder } from "../support/world.ts";

const folder = aFolder();
const path = join(folder.path, "large.db");

beforeAll(async () => {
  const writer = new SqliteWriter(openForWriting(path, "na"));
  await fillLargely(writer);
  await writer.close();
});
afterAll(() => folder.remove());

/** The statements that find the matches of a page. */
function costOf(selection: Selection) {
  const cost = costOfAsking((reader) => reader.matches(selection), / AS here\b|count\(\*\)/);
  // Unknown players are not searched; otherwise the statement now has another form.
  const isKnown = !selection.players.flat().includes(STRANGER);
  expect([/ AS here\b/.test(cost.says), cost.instructions > 0]).toEqual([isKnown, isKnown]);
  return cost;
}

function costOfAsking(ask: (reader: SqliteReader) => void, isMeant: RegExp) {
  const { database, runs } = notingRuns(openForReading(path)!);
  const reader = new SqliteReader(database, 0);
  ask(reader);
  const finding = runs.filter(({ sql }) => isMeant.test(sql));
  const steps = stepsOf(path, finding);
  reader.close();
  return { ...steps, says: finding.map(({ sql }) => sql).join("\n") };
}

/** Per row found and read, and per statement without rows. */
const A_ROW = 16;
const A_STATEMENT = 30;

describe("a page by one filter", () => {
  for (const [name, filter, values] of SINGLE_FILTERS) {
    test(`${name}: takes no more steps than its rows need, plus a few`, () => {
      // Each value is scanned by a little more than its share, plus one entry behind.
      const most = A_ROW * (2 * LIMIT + 4 * values) + 2 * values * A_STATEMENT;
      for (const pageStart of PAGE_STARTS) {
        for (const sort of ["createdAt", "-createdAt"] as const) {
          const selection = { ...filter, ...WINDOW, sort, pageStart, limit: LIMIT };
          const { instructions, unindexed, sorts, says } = costOf(selection);
          expect([unindexed, sorts]).toEqual([0, 0]);
          expect(instructions <= most || `${instructions} steps, at most ${most}\n${says}`).toBe(
            true,
          );
        }
      }
    });
  }
});

describe("a page by several filters", () => {
  for (const [name, filter] of COMBINATIONS) {
    test(`${name}: takes no more steps than the rows of the most selective filter in the window need`, () => {
      const roads = rowsOf(filter);
      const shortest = Math.min(...roads);
      // Scans one with lookups in the others, after comparing them.
      const most = roads.length * (3 * A_ROW * shortest + 64 * A_ROW + 4 * A_STATEMENT);
      expect(most / A_ROW).toBeLessThan(MATCHES);
      for (const pageStart of PAGE_STARTS) {
        const selection = {
          ...filter,
          ...WINDOW,
          sort: "createdAt" as const,
          pageStart,
          limit: LIMIT,
        };
        const { instructions, sorts, says } = costOf(selection);
        expect(sorts).toBe(0);
        expect(instructions <= most || `${instructions} steps, at most ${most}\n${says}`).toBe(
          true,
        );
      }
    });
  }
});

describe("the search for a name", () => {
  for (const typed of TYPED_NAMES) {
    const search = new NameSearch(typed);
    const keys = [search.beginning, search.laterWord, search.reversed];
    const reads: [what: string, read: (reader: SqliteReader) => unknown, rows: number][] = [
      ["around keys", (reader) => lookupsIn(reader).around(keys, 20, 20), 40 * keys.length],
      ["that begin with keys", (reader) => lookupsIn(reader).beginning(keys, 20), 20 * keys.length],
      [
        "after which characters follow",
        (reader) => lookupsIn(reader).charactersAfter(keys, 50),
        60,
      ],
    ];
    test.each(reads)(
      `${typed}: names %s take no more steps than their rows need`,
      (_, read, rows) => {
        const most = A_ROW * rows + 2 * keys.length * A_STATEMENT;
        const { instructions, unindexed, sorts, says } = costOfAsking(read, /name_index/);
        expect([says.includes("name_index"), unindexed, sorts]).toEqual([true, 0, 0]);
        expect(instructions <= most || `${instructions} steps, at most ${most}`).toBe(true);
      },
    );
  }

  test("players with a name are looked up by index", () => {
    const { instructions, unindexed, sorts } = costOfAsking(
      (reader) => reader.playersWithNames(["name of p1", "nobody"], 3),
      /FROM players WHERE name/,
    );
    expect([instructions > 0, unindexed, sorts]).toEqual([true, 0, 0]);
    expect(instructions).toBeLessThan(2 * (3 * A_ROW + A_STATEMENT));
  });
});

interface Run {
  sql: string;
  values: SQLQueryBindings[];
}

/** Records and runs statements. */
function notingRuns(database: Database): { database: Database; runs: Run[] } {
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
