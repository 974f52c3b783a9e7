/** Examines a shard's file for `matchbook doctor`. Reads little, and changes neither the file nor its WAL. */

import type { Database } from "bun:sqlite";
import { existsSync, realpathSync } from "node:fs";
import { openImmutable, openUnchanged } from "../../sqlite/open-unchanged.ts";
import { findings } from "../core/findings.ts";
import { readSummary } from "../core/summary.ts";
import type { Examined } from "../examined.ts";
import { StoreError } from "../store.ts";
import { readBytes } from "./compact.ts";
import { runOn } from "./engine.ts";
import { lostCommits } from "./lost-commits.ts";
import { asStoreError, checkOwner, formatOf, NotAShard } from "./open.ts";
import { fileStats } from "./opened-file.ts";
import { asReadError } from "./sqlite-errors.ts";
import { Statements } from "./statements.ts";
import { Wal } from "./wal-size.ts";

const PATIENCE_MS = 1000;

/** Throws StoreError if the file cannot be read, is damaged, has another format, or belongs to another shard. */
export function examineFile(shard: string, path: string): Examined {
  if (fileStats(path) === undefined) return "missing";
  let statements: Statements | undefined;
  try {
    statements = new Statements(openWithoutTrace(path));
    const { database } = statements;
    database.run(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    const lost = unnoticedLosses(path);
    const format = formatOf(database, path);
    if (format === 0 && lost > 0) {
      throw new StoreError(`the WAL of ${path} is damaged, and all ${lost} commits in it are lost`);
    }
    if (format === 0) return "empty";
    checkOwner(database, path, shard);
    return {
      format,
      summary: runOn(database, readSummary()),
      findings: runOn(database, findings.findings()),
      lostCommits: lost,
      bytes: readBytes(statements),
      walBytes: new Wal(database).bytes,
    };
  } catch (error) {
    if (error instanceof NotAShard) return "foreign";
    throw asStoreError(statements ? asReadError(error, statements.database) : error, path);
  } finally {
    statements?.close();
  }
}

/**
 * Without a WAL nobody has the file open, and it is read alone: any other connection would create a WAL for a moment,
 * which is not possible on a full disk.
 */
function openWithoutTrace(path: string): Database {
  return existsSync(`${realpathSync(path)}-wal`) ? openUnchanged(path) : openImmutable(path);
}

/** What another process is just writing looks damaged too, but not when it is read again. */
function unnoticedLosses(path: string): number {
  const wal = `${realpathSync(path)}-wal`;
  const lost = lostCommits(wal);
  return lost === 0 ? 0 : Math.min(lost, lostCommits(wal));
}
