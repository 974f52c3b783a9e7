/** Turns errors of SQLite into those of the store. */

import { type Database, SQLiteError } from "bun:sqlite";
import { DamagedData, StoreError, StoreUnavailable } from "../store.ts";
import { asStoreError, formatOf } from "./open.ts";

const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;
const UNAVAILABLE = /^SQLITE_(IOERR|CANTOPEN|BUSY|FULL|READONLY|NOMEM)/;
/** A full disk and a lock have messages of their own. */
const UNWRITABLE = /^SQLITE_(IOERR|CANTOPEN|READONLY|NOMEM)/;

/** For a read. Errors that are not about the file are returned as they are. */
export function asReadError(error: unknown, database: Database): unknown {
  if (!(error instanceof SQLiteError)) return error;
  const { code = "", message } = error;
  if (DAMAGED.test(code)) return new DamagedData("file", message);
  if (code === "SQLITE_ERROR") return asSchemaError(error, database);
  return UNAVAILABLE.test(code) ? new StoreUnavailable(message, { cause: error }) : error;
}

/** For a write: a row that was not found but is there means that an index is damaged. */
export function asWriteError(error: unknown, database: Database): unknown {
  if (error instanceof SQLiteError && error.code?.startsWith("SQLITE_CONSTRAINT")) {
    return new StoreError(
      `an index of ${database.filename} is damaged: it does not list a row that exists (${error.message}). Run 'matchbook repair', or restore the shard from a backup; nothing of this batch was stored`,
      { cause: error },
    );
  }
  if (error instanceof SQLiteError && UNWRITABLE.test(error.code ?? "")) {
    return asStoreError(error, database.filename);
  }
  const asRead = asReadError(error, database);
  return asRead instanceof DamagedData ? asRead : error;
}

/** For a copy of the whole file: rows that cannot be inserted into it are damaged. */
export function asCopyError(error: unknown, database: Database): unknown {
  const isDamage = error instanceof SQLiteError && error.code?.startsWith("SQLITE_CONSTRAINT");
  return isDamage ? new DamagedData("file", error.message) : asReadError(error, database);
}

/** Statements fit the tables of the current format. One that fails, e.g. with "no such column", means damage. */
function asSchemaError({ message }: SQLiteError, database: Database): unknown {
  try {
    formatOf(database, database.filename);
  } catch (error) {
    // A newer version of Matchbook has changed the format of the file meanwhile.
    if (error instanceof StoreError) return error;
  }
  return new DamagedData("sqlite_schema", message);
}
