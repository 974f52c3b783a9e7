/** Reads and damages the inside of a shard in PostgreSQL. The only test code that knows its tables. */

import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { SQL } from "bun";
import {
  type Column,
  chosen,
  columnOf,
  type Field,
  fieldsOf,
  type Kind,
  type NewValues,
  newValues,
  type Row,
  type ShardRows,
  type Table,
  type Which,
} from "./engine.ts";

/** A number that stands for an id. No row has the last one. */
const numbered = (table: string, column: string): Column => ({
  read: `(SELECT id FROM {${table}} AS other WHERE other.num = one.${column})`,
  write: `${column} = coalesce((SELECT num FROM {${table}} WHERE id = ?), 7777)`,
});

const TABLES: Record<Kind, Table> = {
  match: {
    table: "match_documents",
    columns: {
      id: "id",
      createdAt: "created_at",
      mode: "game_mode",
      patch: "patch_version",
      contentHash: "content_hash",
      document: "document",
      results: "results",
      checksum: "checksum",
    },
  },
  "listed match": {
    table: "matches",
    columns: { id: "id", createdAt: "created_at", mode: "game_mode", patch: "patch_version" },
  },
  snapshot: {
    table: "matches",
    columns: { match: "id", snapshot: "snapshot", checksum: "checksum" },
  },
  withheld: {
    table: "withheld",
    columns: {
      id: "id",
      createdAt: "created_at",
      reason: "reason",
      document: "document",
      snapshot: "snapshot",
      checksum: "checksum",
    },
  },
  player: {
    table: "players",
    columns: {
      id: "id",
      name: "name",
      lastMatchAt: "last_match_at",
      streak: "streak",
      played: "played",
      wins: "wins",
      gold: "gold",
      resource: "resource",
      linked: "linked",
      rankedWins: "ranked_wins",
      skillTier: "skill_tier",
      winRate: "win_rate",
      checksum: "checksum",
      number: "num",
    },
  },
  team: {
    table: "teams",
    columns: { id: "id", name: "name", resource: "resource", linked: "linked", number: "num" },
  },
  "player entry": {
    table: "player_matches",
    columns: {
      match: "match_id",
      player: numbered("players", "player"),
      leadsTo: "match_id",
      createdAt: "created_at",
      result: "result",
    },
  },
  "team entry": {
    table: "team_matches",
    columns: {
      match: "match_id",
      team: numbered("teams", "team"),
      leadsTo: "match_id",
      createdAt: "created_at",
      takesPart: "plays",
    },
  },
  "name entry": { table: "name_index", columns: { key: "key", name: "name" } },
  "player base": {
    table: "player_base",
    columns: { id: "id", played: "played", checksum: "checksum" },
  },
  "recent board entry": {
    table: "player_recent",
    columns: { id: "id", played: "played", wins: "wins", winRate: "win_rate" },
  },
  "actor statistics": {
    table: "actor_stats",
    columns: {
      actor: "actor",
      mode: "game_mode",
      patch: "patch_version",
      isPruned: "is_pruned",
      picks: "picks",
      wins: "wins",
    },
  },
  redaction: {
    table: "redactions",
    columns: { player: "player_id", redactedAt: "redacted_at" },
  },
  "derived table": { table: "derived", columns: { name: "name" } },
  evidence: { table: "ranked_evidence", columns: { player: "player_id", records: "records" } },
  dependent: { table: "dependents", columns: { player: "player_id", match: "match_id" } },
  word: { table: "vocabulary", columns: { word: "word", records: "records" } },
  commit: {
    table: "changes",
    columns: { sequence: "sequence", players: "players", changes: "matches" },
  },
  shard: {
    table: "shard",
    columns: {
      matches: "matches",
      players: "players",
      sequence: "sequence",
      token: "token",
      prunedBefore: "pruned_before",
    },
  },
};

/** What PostgreSQL has as `bigint`, the driver gives as text. */
const BIG: ReadonlySet<Field> = new Set<Field>([
  ...(["createdAt", "lastMatchAt", "redactedAt", "checksum", "skillTier", "sequence"] as const),
  ...(["matches", "players", "prunedBefore", "picks", "wins"] as const),
]);

type Located = Row & { locator: [table: string, row: string] };

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
  /** Changes the number of the format, as a migration by another version would. */
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

  const read = async ({ table, columns }: Table): Promise<Located[]> => {
    const fields = Object.keys(columns) as Field[];
    const read = fields.map((field) => {
      const column = columns[field]!;
      return `${typeof column === "string" ? `one.${column}` : column.read} AS "${field}"`;
    });
    const rows: Record<string, unknown>[] = await run(
      `SELECT ${read}, tableoid::text AS in_table, ctid::text AS at FROM {${table}} AS one ORDER BY 1, 2, tableoid, ctid`,
    );
    return rows.map(({ in_table, at, ...row }) => {
      for (const field of BIG) if (typeof row[field] === "string") row[field] = Number(row[field]);
      const page = Number.parseInt((at as string).slice(1), 10);
      return { ...row, page, locator: [in_table, at] } as Located;
    });
  };
  const WHERE = "WHERE tableoid = ?::text::oid AND ctid = ?::text::tid";

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
        const set = fieldsOf(to).map((field) => {
          const column = columnOf(table, field);
          return typeof column === "string" ? `${column} = ?` : column.write;
        });
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
      await run("DROP INDEX {matches_game_mode_created_at_id_idx}");
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

/** All rows of a shard as they are now; call it to restore them. Partitions that are created meanwhile stay. */
export async function rowsOf(sql: SQL, schema: string): Promise<() => Promise<void>> {
  const tables: { name: string }[] = await sql.unsafe(
    `SELECT format('%I.%I', $1::text, relname) AS name FROM pg_class
     WHERE relnamespace = quote_ident($1)::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
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
