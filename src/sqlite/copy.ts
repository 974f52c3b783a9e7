/** Copies an SQLite file while other processes read and write it. */

import { Database } from "bun:sqlite";
import { closeSync, openSync, readSync } from "node:fs";
import { openUnchanged } from "./open-unchanged.ts";

/** Another process may be recovering the file. */
const PATIENCE_MS = 5_000;

/**
 * Copies one consistent state of `from` into the empty file `to`. Writers of `from` continue, but cannot empty its WAL
 * meanwhile.
 */
export function copySqlite(from: string, to: string): void {
  const source = openUnchanged(from);
  try {
    source.run(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    // Of the copy: its pages must not have parts of rows in unused space, where a redaction would not remove them.
    source.run("PRAGMA secure_delete = ON");
    source.run("VACUUM INTO ?", [to]);
  } finally {
    source.close();
  }
}

/**
 * Sets the mode in which Matchbook creates its files: in the mode of a copy, a long read would keep writers waiting.
 * Readers of the copy should come before, because they would leave a WAL beside it.
 */
export function switchToWal(path: string): void {
  const database = new Database(path, { readwrite: true, create: false });
  try {
    database.run("PRAGMA journal_mode = WAL");
  } finally {
    database.close();
  }
}

/** Where an SQLite file has its user version. */
const FORMAT_AT = 60;

/** The format of a file that nobody has open. */
export function formatIn(path: string): number {
  const file = openSync(path, "r");
  try {
    const format = Buffer.alloc(4);
    return readSync(file, format, 0, 4, FORMAT_AT) < 4 ? 0 : format.readUInt32BE();
  } finally {
    closeSync(file);
  }
}
