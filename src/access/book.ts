/**
 * In charge of the file that keeps usage and budgets, beside that of the keys: it is written every
 * few seconds, and the keys are read anew whenever theirs changes.
 */

import type { Database } from "bun:sqlite";
import type { BudgetShelf, KeptBudget } from "./budget.ts";
import { createFile, type FileKind, fileExists, openFile } from "./file.ts";
import type { KeyDay } from "./usage.ts";

const USAGE_FILE: FileKind = {
  name: "usage.sqlite",
  synchronous: "NORMAL",
  migrations: [
    `CREATE TABLE requests (
     key_id TEXT NOT NULL,
     day    INTEGER NOT NULL,
     status INTEGER NOT NULL,
     count  INTEGER NOT NULL,
     PRIMARY KEY (key_id, day, status)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE days (
     key_id    TEXT NOT NULL,
     day       INTEGER NOT NULL,
     records   INTEGER NOT NULL,
     last_seen INTEGER NOT NULL,
     PRIMARY KEY (key_id, day)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE budgets (
     key_id   TEXT NOT NULL,
     day      INTEGER NOT NULL,
     counter  BLOB NOT NULL,
     exceeded INTEGER,
     PRIMARY KEY (key_id, day)
   ) STRICT, WITHOUT ROWID`,
  ],
};

/** Usage is kept for a little more than a year, budgets for the day they are about. */
export const KEPT_DAYS = 400;

export const bookExists = (dataDir: string): boolean => fileExists(USAGE_FILE, dataDir);

export class UsageBook implements BudgetShelf {
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
  }

  /** Opens the file, creating it where it is missing, readable by its owner alone. */
  static open(dataDir: string): UsageBook {
    createFile(USAGE_FILE, dataDir);
    return new UsageBook(openFile(USAGE_FILE, dataDir));
  }

  /** Adds what was counted to what is there, all of it or nothing. */
  write(days: readonly KeyDay[], budgets: readonly KeptBudget[]): void {
    if (days.length + budgets.length === 0) return;
    this.#database
      .transaction(() => {
        for (const day of days) this.#add(day);
        for (const budget of budgets) this.#put(budget);
      })
      .immediate();
  }

  /** Drops what is too old. */
  prune(today: number): void {
    for (const table of ["requests", "days"]) {
      this.#database.query(`DELETE FROM ${table} WHERE day < ?`).run(today - KEPT_DAYS);
    }
    this.#database.query("DELETE FROM budgets WHERE day < ?").run(today);
  }

  /** The days from `since` on on which the key was used, oldest first; of every key if none is named. */
  read(since: number, keyId?: string): KeyDay[] {
    const whose = keyId === undefined ? "" : " AND key_id = ?";
    const values = keyId === undefined ? [since] : [since, keyId];
    const days = this.#database
      .query<Omit<KeyDay, "requests">, (string | number)[]>(
        `SELECT key_id AS keyId, day, records, last_seen AS lastSeen FROM days
         WHERE day >= ?${whose} ORDER BY day, key_id`,
      )
      .all(...values)
      .map((day) => ({ ...day, requests: new Map<number, number>() }));
    const byKey = new Map(days.map((day) => [`${day.keyId} ${day.day}`, day]));
    for (const row of this.#database
      .query<{ keyId: string; day: number; status: number; count: number }, (string | number)[]>(
        `SELECT key_id AS keyId, day, status, count FROM requests WHERE day >= ?${whose}
         ORDER BY status`,
      )
      .all(...values)) {
      byKey.get(`${row.keyId} ${row.day}`)?.requests.set(row.status, row.count);
    }
    return days;
  }

  /** When each key was last used, if that was within the days that are kept. */
  lastSeen(): Map<string, number> {
    return new Map(
      this.#database
        .query<{ keyId: string; at: number }, []>(
          "SELECT key_id AS keyId, max(last_seen) AS at FROM days GROUP BY key_id",
        )
        .all()
        .map(({ keyId, at }) => [keyId, at]),
    );
  }

  budget(keyId: string, day: number): Pick<KeptBudget, "counter" | "exceeded"> | undefined {
    return (
      this.#database
        .query<Pick<KeptBudget, "counter" | "exceeded">, [string, number]>(
          "SELECT counter, exceeded FROM budgets WHERE key_id = ? AND day = ?",
        )
        .get(keyId, day) ?? undefined
    );
  }

  close(): void {
    this.#database.close();
  }

  #add({ keyId, day, requests, records, lastSeen }: KeyDay): void {
    this.#database
      .query(
        `INSERT INTO days (key_id, day, records, last_seen) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET records = records + excluded.records,
           last_seen = max(last_seen, excluded.last_seen)`,
      )
      .run(keyId, day, records, lastSeen);
    const add = this.#database.query(
      `INSERT INTO requests (key_id, day, status, count) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET count = count + excluded.count`,
    );
    for (const [status, count] of requests) add.run(keyId, day, status, count);
  }

  #put({ keyId, day, counter, exceeded }: KeptBudget): void {
    this.#database
      .query("INSERT OR REPLACE INTO budgets (key_id, day, counter, exceeded) VALUES (?, ?, ?, ?)")
      .run(keyId, day, counter, exceeded);
  }
}
