/** Reads and damages the inside of a shard in PostgreSQL. The only test code that knows its tables. */

import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
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
  type ShardRows,
  setColumns,
  TABLES,
  type Table,
  type Which,
} from "./engine.ts";

/** What PostgreSQL has as `bigint`, the driver gives as text. */
const BIG: ReadonlySet<Field> = new Set<Field>([
  ...(["createdAt", "lastMatchAt", "redactedAt", "checksum", "skillTier", "sequence"] as const),
  ...(["matches", "players", "prunedBefore", "picks", "wins"] as const),
]);

type Located = Row & { locator: [at: string] };

export interface PostgresRows extends ShardRows {
  rows(kind: Kind, which?: Which): Promise<Row[]>;
  change(kind: Kind, which: Which, values: NewValues): Promise<void>;
  remove(kind: Kind, which?: Which): Promise<void>;
  drop(...kinds: Kind[]): Promise<void>;
  keep(kind: Kind): Promise<() => Promise<void>>;
  /** The name of the table, for SQL about locks, owners and privileges. */
  table(kind: Kind): string;
  /** The files of the rows of a kind and of their long values, in the folder of the cluster. */
  files(kind: Kind): Promise<{ rows: string; longValues: string | null }>;
  /** Removes the index by mode and time. */
  dropModeIndex(): Promise<void>;
  /** Changes the number of the format, as another version would. */
  changeFormat(version: (old: number) => number): Promise<void>;
  /** Makes the shard one that was created again, with the same rows. */
  replaceFormat(): Promise<void>;
  /** Each connection finds the rows of a kind only when it reads them again. Returns what removes them. */
  hideFromFirstRead(kind: Kind): Promise<() => Promise<void>>;
}

/** `sql` is a connection of its own, or a transaction. */
export function postgresRows(sql: Pick<SQL, "unsafe">, schema: string): PostgresRows {
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
      const page = Number.parseInt((at as string).slice(1), 10);
      return { ...row, page, locator: [at] } as Located;
    });
  };
  const WHERE = "WHERE ctid = ?::text::tid";

  return {
    table: (kind) => named(`{${TABLES[kind].table}}`),
    async rows(kind, which = {}) {
      return chosen(await read(TABLES[kind]), which, TABLES[kind]).map(([row]) => row);
    },
    async change(kind, which, values) {
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
    async remove(kind, which = {}) {
      const table = TABLES[kind];
      const rows = chosen(await read(table), which, table);
      if (rows.length === 0) throw new Error(`no ${kind} was removed`);
      for (const [row] of rows) {
        await run(`DELETE FROM {${table.table}} ${WHERE}`, (row as Located).locator);
      }
    },
    async drop(...kinds) {
      await run(`DROP TABLE ${kinds.map((kind) => `{${TABLES[kind].table}}`)}`);
    },
    keep: (kind) => keptRows(sql, [named(`{${TABLES[kind].table}}`)]),
    async files(kind) {
      const [{ rows, long }] = await run(
        `SELECT pg_relation_filepath(oid) AS rows, pg_relation_filepath(reltoastrelid) AS long
         FROM pg_class WHERE oid = '{${TABLES[kind].table}}'::regclass`,
      );
      return { rows, longValues: long };
    },
    async dropModeIndex() {
      await run("DROP INDEX {matches_by_mode}");
    },
    async changeFormat(version) {
      const [{ version: old }] = await run("SELECT version FROM {format}");
      await run("UPDATE {format} SET version = ?", [version(old)]);
    },
    async replaceFormat() {
      await sql.unsafe(
        named(`CREATE TABLE {other} AS SELECT * FROM {format}; DROP TABLE {format};
          ALTER TABLE {other} RENAME TO format`),
      );
    },
    async hideFromFirstRead(kind) {
      const { table } = TABLES[kind];
      await sql.unsafe(
        named(`CREATE FUNCTION {reads}() RETURNS integer LANGUAGE sql VOLATILE AS $$
            SELECT set_config('test.reads',
              (coalesce(nullif(current_setting('test.reads', true), ''), '0')::integer + 1)::text, false)::integer $$;
          ALTER TABLE {${table}} RENAME TO stored_rows;
          CREATE VIEW {${table}} AS SELECT * FROM {stored_rows} WHERE (SELECT {reads}()) > 1`),
      );
      return async () => void (await run("DELETE FROM {stored_rows}"));
    },
  };
}

/** All rows of a shard as they are now; call it to restore them. */
export async function rowsOf(sql: SQL, schema: string): Promise<() => Promise<void>> {
  const tables: { name: string }[] = await sql.unsafe(
    `SELECT format('%I.%I', $1::text, relname) AS name FROM pg_class
     WHERE relnamespace = quote_ident($1)::regnamespace AND relkind = 'r'`,
    [schema],
  );
  return keptRows(
    sql,
    tables.map(({ name }) => name),
  );
}

/** Takes far less time than a new schema. */
async function keptRows(sql: Pick<SQL, "unsafe">, tables: string[]): Promise<() => Promise<void>> {
  const kept = new Map<string, string>();
  for (const name of tables) {
    const [{ rows }] = await sql.unsafe(
      `SELECT jsonb_agg(to_jsonb(one))::text AS rows FROM ${name} AS one`,
    );
    if (rows !== null) kept.set(name, rows);
  }
  const clear = tables.map((name) => `DELETE FROM ${name};`).join(" ");
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

/** Overwrites a page of a table's file with what is not part of any. The cluster must be stopped. */
export function overwritePage(folder: string, file: string, page: number): void {
  const bytes = Buffer.alloc(8192, "no page of a table looks like this. ");
  const open = openSync(join(folder, "data", file), "r+");
  writeSync(open, bytes, 0, bytes.length, page * bytes.length);
  closeSync(open);
}
