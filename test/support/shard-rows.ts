/** Remembers and restores the rows of a shard in PostgreSQL, which takes far less time than a new schema. */

import type { SQL } from "bun";

/** The rows as they are now; call it to restore them. Partitions that are created meanwhile stay. */
export async function rowsOf(sql: SQL, schema: string): Promise<() => Promise<void>> {
  const tables: { name: string }[] = await sql.unsafe(
    `SELECT format('%I.%I', $1::text, relname) AS name FROM pg_class
     WHERE relnamespace = quote_ident($1)::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    [schema],
  );
  const kept = new Map<string, string>();
  for (const { name } of tables) {
    const [{ rows }] = await sql.unsafe(
      `SELECT jsonb_agg(to_jsonb(one))::text AS rows FROM ${name} AS one`,
    );
    if (rows !== null) kept.set(name, rows);
  }
  const clear = tables.map(({ name }) => `DELETE FROM ${name};`).join(" ");
  return async () => {
    await sql.unsafe(`DO $$ BEGIN ${clear} END $$`);
    for (const [name, rows] of kept) {
      await sql.unsafe(
        `INSERT INTO ${name} SELECT * FROM jsonb_populate_recordset(NULL::${name}, $1::text::jsonb)`,
        [rows],
      );
    }
  };
}
