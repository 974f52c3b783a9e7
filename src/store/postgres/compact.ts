/** Gives free space at the ends of a shard's tables back to the disk. */

import type { OnProgress } from "../store.ts";
import { quoted, Session } from "./session.ts";

/** A table of many gigabytes takes hours. */
const PATIENCE_MS = 86_400_000;

/** One table at a time. Readers and writers go on: VACUUM gives up shortening a table that others need. */
export async function vacuum({ place }: Session, onProgress: OnProgress): Promise<void> {
  const session = new Session({ ...place, pool: 1 }, { readMs: PATIENCE_MS, writeMs: PATIENCE_MS });
  try {
    const tables = await session.rows<{ name: string }>(
      `SELECT relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
       WHERE nspname = $1 AND relkind = 'r' ORDER BY relname`,
      [place.schema],
    );
    for (const [done, { name }] of tables.entries()) {
      await session.run(`VACUUM ${quoted(place.schema)}.${quoted(name)}`);
      onProgress(done + 1, tables.length);
    }
  } finally {
    await session.close();
  }
}
