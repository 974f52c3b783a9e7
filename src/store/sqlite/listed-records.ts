/** The records that the indexes of a damaged file list: what should be there. */

import type { Database } from "bun:sqlite";
import type { ListedRecord } from "../salvage.ts";

/** Only indexes are read, so that damaged rows do not matter. Returns whether they could be read to the end. */
export function* listedRecords(database: Database | undefined): Generator<ListedRecord, boolean> {
  if (!database) return false;
  try {
    const served = database.query<{ createdAt: number; id: string; row: number }, []>(
      `SELECT created_at AS createdAt, id, num AS row FROM matches INDEXED BY matches_by_time
       ORDER BY created_at, id`,
    );
    for (const entry of served.iterate()) yield { table: "matches", ...entry };
    const withheld = database.query<{ id: string; row: number }, []>(
      "SELECT id, rowid AS row FROM withheld INDEXED BY sqlite_autoindex_withheld_1 ORDER BY id",
    );
    for (const entry of withheld.iterate()) {
      yield { table: "withheld", ...entry, createdAt: undefined };
    }
    return true;
  } catch {
    return false;
  }
}
