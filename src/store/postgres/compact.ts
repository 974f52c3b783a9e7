/** How large a shard's tables are, and how free space at their ends is given back to the disk. */

import type { OnProgress } from "../store.ts";
import { type Connection, quoted, Session } from "./session.ts";

export async function readBytes(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ bytes: string }>(
    `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = (
       SELECT relnamespace FROM pg_class WHERE oid = '{format}'::regclass)`,
  );
  return Number(row!.bytes);
}

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
