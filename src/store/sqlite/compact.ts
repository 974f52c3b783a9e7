/** How large a shard's file is, and how its free pages are given back to the disk. */

import type { Database } from "bun:sqlite";
import type { OnProgress } from "../store.ts";
import { pragma } from "./open.ts";
import type { Statements } from "./statements.ts";

export const readBytes = (database: Statements): number =>
  database
    .get<{ bytes: number }>(
      "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
    )
    .get()!.bytes;

/** 4 MiB: other writers wait for a step. */
const PAGES_PER_STEP = 512;

/** Must be called outside a transaction. Between steps, other processes may write. */
export async function removeFreePages(database: Database, onProgress: OnProgress): Promise<void> {
  const total = pragma(database, "freelist_count");
  for (let left = total; left > 0; left = pragma(database, "freelist_count")) {
    database.run(`PRAGMA incremental_vacuum(${PAGES_PER_STEP})`);
    onProgress(total - left, total);
    await new Promise(setImmediate);
  }
}
