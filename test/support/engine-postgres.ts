/** Reads and damages the inside of a shard in PostgreSQL. The only test code that knows its tables. */

import type { SQL } from "bun";
import {
  chosen,
  type Field,
  fieldsOf,
  type Kind,
  type NewValues,
  newValues,
  type Row,
  readColumns,
  setColumns,
  TABLES,
  type Table,
  type Which,
} from "./engine.ts";

/** What PostgreSQL has as `bigint`, the driver gives as text. */
const BIG: ReadonlySet<Field> = new Set<Field>([
  ...(["createdAt", "lastMatchAt", "redactedAt", "checksum", "skillTier", "sequence"] as const),
  ...(["matches", "players", "wins"] as const),
]);

type Located = Row & { locator: [at: string] };

/** `sql` is a connection of its own, or a transaction. */
export function postgresRows(sql: Pick<SQL, "unsafe">, schema: string) {
  const named = (text: string) => text.replaceAll(/\{(\w+)\}/g, `${schema}.$1`);
  const run = (text: string, values: unknown[] = []) => {
    let at = 0;
    return sql.unsafe(
      named(text).replaceAll("?", () => `$${++at}`),
      values,
    );
  };

  const read = async (table: Table): Promise<Located[]> => {
    const rows: Record<string, unknown>[] = await run(
      `SELECT ${readColumns(table)}, ctid::text AS at FROM {${table.table}} AS one
       WHERE ${table.where ?? "true"} ORDER BY 1, 2, ctid`,
    );
    return rows.map(({ at, ...row }) => {
      for (const field of BIG) if (typeof row[field] === "string") row[field] = Number(row[field]);
      return { ...row, locator: [at] } as Located;
    });
  };
  const WHERE = "WHERE ctid = ?::text::tid";

  return {
    async rows(kind: Kind, which: Which = {}): Promise<Row[]> {
      return chosen(await read(TABLES[kind]), which, TABLES[kind]).map(([row]) => row);
    },
    async change(kind: Kind, which: Which, values: NewValues) {
      const table = TABLES[kind];
      let changed = 0;
      for (const [row, at] of chosen(await read(table), which, table)) {
        const to = newValues(values, row, at);
        const set = setColumns(table, fieldsOf(to));
        const bound = [...fieldsOf(to).map((field) => to[field]!), ...(row as Located).locator];
        changed += (await run(`UPDATE {${table.table}} SET ${set} ${WHERE}`, bound)).count;
      }
      if (changed === 0) throw new Error(`no ${kind} was changed`);
    },
    async remove(kind: Kind, which: Which = {}) {
      const table = TABLES[kind];
      const rows = chosen(await read(table), which, table);
      if (rows.length === 0) throw new Error(`no ${kind} was removed`);
      for (const [row] of rows) {
        await run(`DELETE FROM {${table.table}} ${WHERE}`, (row as Located).locator);
      }
    },
    /** Changes the number of the format, as another version would. */
    async changeFormat(version: (old: number) => number) {
      const [{ version: old }] = await run("SELECT version FROM {format}");
      await run("UPDATE {format} SET version = ?", [version(old)]);
    },
  };
}

/** All rows of a shard as they are now; call it to restore them, which takes far less time than a new schema. */
export async function rowsOf(sql: SQL, schema: string): Promise<() => Promise<void>> {
  const tables: { name: string }[] = await sql.unsafe(
    `SELECT format('%I.%I', $1::text, relname) AS name FROM pg_class
     WHERE relnamespace = quote_ident($1)::regnamespace AND relkind = 'r'`,
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
