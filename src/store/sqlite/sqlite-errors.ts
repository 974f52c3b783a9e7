/** Turns errors of SQLite into those of the store. */

import { SQLiteError } from "bun:sqlite";
import { DamagedData, StoreError, StoreUnavailable } from "../store.ts";

const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;
const UNAVAILABLE = /^SQLITE_(IOERR|CANTOPEN|BUSY|FULL|READONLY|NOMEM)/;

/** For a read. Errors that are not about the file are returned as they are. */
export function asReadError(error: unknown): unknown {
  if (!(error instanceof SQLiteError)) return error;
  const { code = "", message } = error;
  if (DAMAGED.test(code)) return new DamagedData("file", message);
  return UNAVAILABLE.test(code) ? new StoreUnavailable(message, { cause: error }) : error;
}

/** For a write: a row that was not found but is there means that an index is damaged. */
export function asWriteError(error: unknown, path: string): unknown {
  if (error instanceof SQLiteError && error.code?.startsWith("SQLITE_CONSTRAINT")) {
    return new StoreError(
      `an index of ${path} is damaged: it does not list a row that exists (${error.message}). Restore the shard from a backup; nothing of this batch was stored`,
      { cause: error },
    );
  }
  // A full disk and a lock have messages of their own.
  return error instanceof SQLiteError && DAMAGED.test(error.code ?? "")
    ? asReadError(error)
    : error;
}
