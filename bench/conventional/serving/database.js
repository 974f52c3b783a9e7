// @ts-check
/** The database connection, with a cache of prepared statements. */

import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { Kysely, SqliteDialect } from "kysely";

/** @typedef {Kysely<import("../schema.js").Tables>} Db */

/** Statements differ by their filters and the lengths of lists. */
const MOST_STATEMENTS = 1000;
const MAPPED_BYTES = 1 << 30;

/**
 * @param {string} file
 * @returns {Db}
 */
export function openDatabase(file) {
  if (!existsSync(file)) throw new Error(`${file} does not exist; create it with load.js.`);
  const database = new Database(file, { fileMustExist: true });
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = NORMAL");
  database.pragma("query_only = ON");
  database.pragma(`mmap_size = ${MAPPED_BYTES}`);
  database.pragma("cache_size = -65536");
  return new Kysely({ dialect: new SqliteDialect({ database: withPreparedOnce(database) }) });
}

/**
 * Kysely prepares every statement again; this returns the cached one for the same text.
 *
 * @param {import("better-sqlite3").Database} database
 * @returns {import("kysely").SqliteDatabase}
 */
function withPreparedOnce(database) {
  /** @type {Map<string, import("kysely").SqliteStatement>} */
  const prepared = new Map();
  return {
    close: () => void database.close(),
    prepare(sql) {
      const known = prepared.get(sql);
      if (known) return known;
      if (prepared.size >= MOST_STATEMENTS) prepared.clear();
      const statement = /** @type {import("kysely").SqliteStatement} */ (
        /** @type {unknown} */ (database.prepare(sql))
      );
      prepared.set(sql, statement);
      return statement;
    },
  };
}
