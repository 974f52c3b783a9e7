/**
 * In charge of keeping usage and budgets: what a book of them must be able to do, and the file that is
 * one. It lies beside that of the keys: it is written every few seconds, and the keys are read anew
 * whenever theirs changes.
 */

import type { Database } from "bun:sqlite";
import type { Awaitable } from "../domain/awaitable.ts";
import { type BudgetShelf, joined, type KeptBudget, type KeptCount } from "./budget.ts";
import { createFile, type FileKind, fileExists, openFile } from "./file.ts";
import { type KeyDay, keyDays, type RequestCount } from "./usage.ts";

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

export interface Book extends BudgetShelf {
  /**
   * Adds what was counted to what is there, all of it or nothing; several processes may do so. Gives
   * back the budgets as they are kept now, with what others have counted.
   */
  write(days: readonly KeyDay[], budgets: readonly KeptBudget[]): Awaitable<KeptBudget[]>;
  /** Drops what is too old. */
  prune(today: number): Awaitable<void>;
  /** The days from `since` on on which the key was used, oldest first; of every key if none is named. */
  read(since: number, keyId?: string): Awaitable<KeyDay[]>;
  /** When each key was last used, if that was within the days that are kept. */
  lastSeen(): Awaitable<Map<string, number>>;
  close(): Awaitable<void>;
}

export const bookExists = (dataDir: string): boolean => fileExists(USAGE_FILE, dataDir);

export class UsageBook implements Book {
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
  }

  /** Opens the file, creating it where it is missing, readable by its owner alone. */
  static open(dataDir: string): UsageBook {
    createFile(USAGE_FILE, dataDir);
    return new UsageBook(openFile(USAGE_FILE, dataDir));
  }

  write(days: readonly KeyDay[], budgets: readonly KeptBudget[]): KeptBudget[] {
    if (days.length + budgets.length === 0) return [];
    return this.#database
      .transaction(() => {
        for (const day of days) this.#add(day);
        return budgets.map((budget) => this.#join(budget));
      })
      .immediate();
  }

  prune(today: number): void {
    for (const table of ["requests", "days"]) {
      this.#database.query(`DELETE FROM ${table} WHERE day < ?`).run(today - KEPT_DAYS);
    }
    this.#database.query("DELETE FROM budgets WHERE day < ?").run(today);
  }

  read(since: number, keyId?: string): KeyDay[] {
    const whose = keyId === undefined ? "" : " AND key_id = ?";
    const values = keyId === undefined ? [since] : [since, keyId];
    const days = this.#database
      .query<Omit<KeyDay, "requests">, (string | number)[]>(
        `SELECT key_id AS keyId, day, records, last_seen AS lastSeen FROM days
         WHERE day >= ?${whose} ORDER BY day, key_id`,
      )
      .all(...values);
    const requests = this.#database
      .query<RequestCount, (string | number)[]>(
        `SELECT key_id AS keyId, day, status, count FROM requests WHERE day >= ?${whose}
         ORDER BY status`,
      )
      .all(...values);
    return keyDays(days, requests);
  }

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

  budget(keyId: string, day: number): KeptCount | undefined {
    return (
      this.#database
        .query<KeptCount, [string, number]>(
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

  #join({ keyId, day, ...count }: KeptBudget): KeptBudget {
    const there = this.budget(keyId, day);
    const { counter, exceeded } = there ? joined(there, count) : count;
    this.#database
      .query("INSERT OR REPLACE INTO budgets (key_id, day, counter, exceeded) VALUES (?, ?, ?, ?)")
      .run(keyId, day, counter, exceeded);
    return { keyId, day, counter, exceeded };
  }
}
