/** How large a shard's tables are. */

import type { Connection } from "./session.ts";

export async function readBytes(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ bytes: string }>(
    `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = (
       SELECT relnamespace FROM pg_class WHERE oid = '{format}'::regclass)`,
  );
  return Number(row!.bytes);
}
