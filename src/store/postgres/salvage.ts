/**
 * Finds the records in a damaged schema. Tables are read page by page, without their indexes. Where PostgreSQL refuses to
 * read, the pages are narrowed down to the rows that it cannot read.
 */

import type { ActorTotals } from "../../domain/actors.ts";
import { isUndefined, isUnreadable } from "../../postgres/errors.ts";
import { baseOf } from "../core/bases.ts";
import { snapshotChecksum, verified } from "../row-checks.ts";
import {
  type DamagedPage,
  type DamagedState,
  type DamagedStore,
  type ListedRecord,
  type RecordTable,
  recordFrom,
  type Salvaged,
  salvagedActor,
  salvagedRedaction,
} from "../salvage.ts";
import type { PlayerBase, Redaction } from "../store.ts";
import {
  ACTOR_STATS,
  type ActorRow,
  type BaseRow,
  PLAYER_BASE,
  REDACTIONS,
  type RedactionRow,
} from "../tables.ts";
import { rowsIn } from "./engine.ts";
import { quoted, type Session } from "./session.ts";

/** A table or partition, and its size. */
interface Relation {
  name: string;
  pages: number;
}

/** Rows that are read at a time come to this process; they are a few kilobytes each. */
const READ_PAGES = 16;
const COPIED_PAGES = 256;
const LISTED_ROWS = 500;

/** What is in a table without times is named by this column. */
const STATE_IDS: Record<string, string> = {
  player_base: "id",
  actor_stats: "actor",
  redactions: "player_id",
};

/** A page, or a row of it, that PostgreSQL cannot read. */
class Unreadable {
  constructor(
    readonly page: number,
    /** Of the row, as far as they are known. Undefined for a whole page. */
    readonly row: { id: string; created_at: number | null } | undefined,
    readonly why: string,
  ) {}
}

interface RecordColumns {
  id: string;
  created_at: number;
  content_hash: Uint8Array;
  document: Uint8Array;
}

interface SnapshotRow {
  at: number;
  id: string;
  created_at: number;
  checksum: number | null;
  snapshot: Uint8Array;
}

const RECORD_COLUMNS = "id, created_at::float8 AS created_at, content_hash, document";
const SNAPSHOT_COLUMNS = `at, id, created_at::float8 AS created_at, checksum::float8 AS checksum, snapshot`;

export class PostgresSalvage implements DamagedStore {
  /** A copy of the snapshots in the new schema, with indexes that are not damaged. */
  readonly #snapshots: string;
  /** The tables of which something could not be read, so that it is not known what is missing. */
  readonly #unreadable = new Set<string>();

  private constructor(
    private readonly session: Session,
    newSchema: string,
    private readonly relations: readonly Relation[],
  ) {
    this.#snapshots = `${quoted(newSchema)}.${quoted("salvaged_snapshots")}`;
  }

  static async open(session: Session, newSchema: string): Promise<PostgresSalvage> {
    const relations = await session.rows<Relation>(
      `SELECT relname AS name,
         ceil(pg_relation_size(pg_class.oid) / current_setting('block_size')::float8) AS pages
       FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
       WHERE nspname = $1 AND relkind = 'r' ORDER BY relname`,
      [session.place.schema],
    );
    return new PostgresSalvage(session, newSchema, relations);
  }

  get pages(): number {
    return [...this.#partitions(), this.#table("match_documents"), this.#table("withheld")].reduce(
      (sum, relation) => sum + (relation?.pages ?? 0),
      0,
    );
  }

  async *redactions(): AsyncGenerator<Redaction | DamagedState> {
    const table = this.#table("redactions");
    if (!table) {
      yield { id: undefined, why: "the table is missing" };
      return;
    }
    const read = (where: string) =>
      this.session.rows<RedactionRow>(`${rowsIn(REDACTIONS)} WHERE ${where}`);
    for await (const rows of this.#scan(table, READ_PAGES, read)) {
      if (rows instanceof Unreadable) yield { id: rows.row?.id, why: rows.why };
      else yield* rows.map(salvagedRedaction);
    }
  }

  async *bases(): AsyncGenerator<PlayerBase | DamagedState> {
    const table = this.#table("player_base");
    if (!table) {
      yield { id: undefined, why: "the table is missing" };
      return;
    }
    const read = (where: string) =>
      this.session.rows<BaseRow>(`${rowsIn(PLAYER_BASE)} WHERE ${where}`);
    for await (const rows of this.#scan(table, READ_PAGES, read)) {
      if (rows instanceof Unreadable) yield { id: rows.row?.id, why: rows.why };
      else for (const row of rows) yield baseIn(row);
    }
  }

  /** Those of matches that were not pruned are counted again. */
  async *prunedActors(): AsyncGenerator<ActorTotals | DamagedState> {
    // If it is not known, it may have been.
    const wasPruned = (await this.prunedBefore()) !== null;
    const table = this.#table("actor_stats");
    if (!table) {
      if (wasPruned) yield { id: undefined, why: "the table is missing" };
      return;
    }
    const read = (where: string) =>
      this.session.rows<ActorRow>(`${rowsIn(ACTOR_STATS)} WHERE ${where}`);
    for await (const rows of this.#scan(table, READ_PAGES, read)) {
      const found =
        rows instanceof Unreadable
          ? [{ id: rows.row?.id, why: rows.why }]
          : rows.map((row) => salvagedActor(row));
      for (const one of found) if ("why" in one ? wasPruned : one.isPruned) yield one;
    }
  }

  async *salvaged(onPage: (page: number) => void): AsyncGenerator<Salvaged> {
    let done = 0;
    const onPages = (pages: number) => {
      done += pages;
      onPage(done);
    };
    await this.#copySnapshots(onPages);
    yield* this.#records("matches", "match_documents", onPages);
    yield* this.#records("withheld", "withheld", onPages);
  }

  /** Snapshots without a match. Withheld records are in no list. */
  async *listed(): AsyncGenerator<ListedRecord, boolean> {
    for (let after = -1; ; ) {
      const rows = await this.session.rows<Omit<SnapshotRow, "snapshot">>(
        `SELECT at, id, created_at::float8 AS created_at FROM ${this.#snapshots} AS left_over
         WHERE at > $1 ORDER BY at LIMIT ${LISTED_ROWS}`,
        [after],
      );
      for (const row of rows) yield { table: "matches", id: row.id, createdAt: row.created_at };
      if (rows.length < LISTED_ROWS) break;
      after = rows.at(-1)!.at;
    }
    const isBothLost = this.#unreadable.has("matches") && this.#unreadable.has("match_documents");
    return !isBothLost && !this.#unreadable.has("withheld");
  }

  /** Drops what it has created in the new schema. */
  async close(): Promise<void> {
    await this.session.run(`DROP TABLE IF EXISTS ${this.#snapshots}`);
  }

  /** The last change, as far as it is known. */
  async sequence(): Promise<number> {
    const row = await this.#first<{ sequence: number }>(
      "SELECT sequence::float8 AS sequence FROM {shard} AS shard",
    );
    const last = await this.#first<{ sequence: number | null }>(
      "SELECT max(sequence)::float8 AS sequence FROM {changes} AS changes",
    );
    const sequence = Math.max(row?.sequence ?? 0, last?.sequence ?? 0);
    // A damaged one may be anything.
    return sequence < 2 ** 50 ? sequence : 0;
  }

  async prunedBefore(): Promise<number | null | undefined> {
    const row = await this.#first<{ cutoff: number | null }>(
      "SELECT pruned_before::float8 AS cutoff FROM {shard} AS shard",
    );
    // A damaged one may be anything.
    return row && (row.cutoff === null || row.cutoff <= Date.now()) ? row.cutoff : undefined;
  }

  #table(name: string): Relation | undefined {
    return this.relations.find((one) => one.name === name);
  }

  #partitions(): Relation[] {
    return this.relations.filter(({ name }) => /^matches_(\d{4}_\d{2}|before|after)$/.test(name));
  }

  /** On the server. A snapshot that cannot be read is missing for its match. */
  async #copySnapshots(onPages: (pages: number) => void): Promise<void> {
    // Unlogged, because it is built again after a crash.
    await this.session.run(
      `CREATE UNLOGGED TABLE ${this.#snapshots} (
         at integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C",
         created_at bigint, checksum bigint, snapshot bytea)`,
    );
    await this.session.run(
      `ALTER TABLE ${this.#snapshots} ALTER COLUMN snapshot SET STORAGE EXTERNAL`,
    );
    for (const partition of this.#partitions()) {
      const copy = (where: string) =>
        this.session.run(
          `INSERT INTO ${this.#snapshots} (id, created_at, checksum, snapshot)
           SELECT id, created_at, checksum, snapshot FROM {${partition.name}} WHERE ${where}`,
        );
      for await (const copied of this.#scan(partition, COPIED_PAGES, copy, onPages)) {
        if (copied instanceof Unreadable) this.#unreadable.add("matches");
      }
    }
    for (const column of ["id", "created_at"]) {
      await this.session.run(`CREATE INDEX ON ${this.#snapshots} (${column})`);
    }
    await this.session.run(`ANALYZE ${this.#snapshots}`);
  }

  async *#records(
    table: RecordTable,
    name: "match_documents" | "withheld",
    onPages: (pages: number) => void,
  ): AsyncGenerator<Salvaged> {
    const relation = this.#table(name);
    if (!relation) {
      this.#unreadable.add(name);
      yield { kind: "page", page: 0, table: name, why: "the table is missing", bytes: undefined };
      return;
    }
    const columns = table === "matches" ? RECORD_COLUMNS : `${RECORD_COLUMNS}, snapshot`;
    const read = (where: string) =>
      this.session.rows<RecordColumns & { snapshot?: Uint8Array }>(
        `SELECT ${columns} FROM {${name}} AS stored WHERE ${where}`,
      );
    for await (const rows of this.#scan(relation, READ_PAGES, read, onPages)) {
      if (rows instanceof Unreadable) {
        if (!rows.row) this.#unreadable.add(name);
        yield await this.#unread(table, name, rows);
        continue;
      }
      const snapshots = table === "matches" ? await this.#snapshotsOf(rows) : undefined;
      for (const [at, row] of rows.entries()) {
        const separate = snapshots?.[at];
        yield recordFrom(
          { table },
          {
            id: row.id,
            createdAt: row.created_at,
            contentHash: row.content_hash,
            document: row.document,
            snapshot: separate?.snapshot ?? row.snapshot,
            snapshotChecksum: separate?.checksum,
          },
        );
      }
    }
  }

  /** A record that is listed here must not be listed again because of its snapshot. */
  async #unread(
    table: RecordTable,
    name: string,
    { page, row, why }: Unreadable,
  ): Promise<Salvaged> {
    if (!row) return { kind: "page", page, table: name, why, bytes: undefined } as DamagedPage;
    const [snapshot] =
      table === "matches"
        ? await this.#snapshotsOf([{ ...row, created_at: row.created_at ?? 0 }])
        : [];
    return {
      kind: "damaged",
      table,
      id: row.id,
      createdAt: row.created_at ?? undefined,
      why,
      encoded: undefined,
      snapshot: snapshot?.snapshot,
    };
  }

  /**
   * The snapshots of these matches, which are then taken out of the copy. One of the ids may be damaged: then the time
   * leads to the snapshot. Whether both belong together is verified with the record.
   */
  async #snapshotsOf(
    matches: readonly { id: string; created_at: number }[],
  ): Promise<(SnapshotRow | undefined)[]> {
    const found = await this.#find(matches, 'copy.id = given.id COLLATE "C"');
    const others = matches.filter((_, at) => !found[at]);
    const byTime = await this.#find(others, "copy.created_at = given.created_at");
    // One that is whole can also be that of another match. If it is not, its id is known when it is compared.
    const isUsed = (row: SnapshotRow | undefined) => row && !isWhole(row);
    const used = [...found, ...byTime.filter(isUsed)].flatMap((row) => (row ? [row.at] : []));
    await this.session.run(`DELETE FROM ${this.#snapshots} WHERE at = ANY($1::integer[])`, [used]);
    return found.map((row) => row ?? byTime.shift());
  }

  /** One snapshot for each match. */
  async #find(
    matches: readonly { id: string; created_at: number }[],
    condition: string,
  ): Promise<(SnapshotRow | undefined)[]> {
    if (matches.length === 0) return [];
    const rows = await this.session.rows<SnapshotRow & { nth: number }>(
      `SELECT nth::integer AS nth, found.*
       FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS given (id, created_at, nth)
       CROSS JOIN LATERAL (SELECT ${SNAPSHOT_COLUMNS} FROM ${this.#snapshots} AS copy
         WHERE ${condition} ORDER BY copy.created_at <> given.created_at LIMIT 1) AS found`,
      [matches.map(({ id }) => id), matches.map(({ created_at }) => created_at)],
    );
    const found = new Map(rows.map((row) => [row.nth - 1, row]));
    return matches.map((_, at) => found.get(at));
  }

  /** Reads all pages of a table in steps; `read` gets a condition on the place of its rows. */
  async *#scan<T>(
    relation: Relation,
    pages: number,
    read: (where: string) => Promise<T>,
    onPages: (pages: number) => void = () => {},
  ): AsyncGenerator<T | Unreadable> {
    // An empty table too: its file may be missing.
    const end = Math.max(1, relation.pages);
    for (let from = 0; from < end; from += pages) {
      const to = Math.min(from + pages, end);
      yield* this.#range(relation, read, from, to);
      onPages(to - from);
    }
  }

  async *#range<T>(
    relation: Relation,
    read: (where: string) => Promise<T>,
    from: number,
    to: number,
  ): AsyncGenerator<T | Unreadable> {
    const where = `ctid >= '(${from},0)' AND ctid < '(${to},0)'`;
    const result = await this.#attempt(() => read(where));
    if (!(result instanceof Error)) yield result;
    else if (to - from > 1) {
      const middle = Math.floor((from + to) / 2);
      yield* this.#range(relation, read, from, middle);
      yield* this.#range(relation, read, middle, to);
    } else yield* this.#rowsOf(relation, read, from, where);
  }

  /** The rows of a page one by one. */
  async *#rowsOf<T>(
    { name }: Relation,
    read: (where: string) => Promise<T>,
    page: number,
    where: string,
  ): AsyncGenerator<T | Unreadable> {
    const hasTime = !STATE_IDS[name];
    const time = hasTime ? "created_at::float8" : "NULL::float8";
    const id = `${STATE_IDS[name] ?? "id"} AS id`;
    const rows = await this.#attempt(() =>
      this.session.rows<{ place: string; id: string; created_at: number | null }>(
        `SELECT ctid::text AS place, ${id}, ${time} AS created_at FROM {${name}} AS stored WHERE ${where}`,
      ),
    );
    if (rows instanceof Error) {
      yield new Unreadable(page, undefined, reasonOf(rows));
      return;
    }
    for (const { place, ...row } of rows) {
      const result = await this.#attempt(() => read(`ctid = '${place}'`));
      yield result instanceof Error ? new Unreadable(page, row, reasonOf(result)) : result;
    }
  }

  /** Undefined if there is none, or if PostgreSQL cannot read it. */
  async #first<Row>(sql: string): Promise<Row | undefined> {
    const rows = await this.#attempt(() => this.session.rows<Row>(sql));
    return rows instanceof Error ? undefined : rows[0];
  }

  /** The error, if PostgreSQL cannot read the rows. */
  async #attempt<T>(read: () => Promise<T>): Promise<T | Error> {
    try {
      return await read();
    } catch (error) {
      const { cause } = error as Error;
      if (isUnreadable(cause) || isUndefined(cause)) return cause as Error;
      throw error;
    }
  }
}

const isWhole = ({ id, checksum, snapshot }: SnapshotRow): boolean =>
  checksum === snapshotChecksum(id, snapshot);

const reasonOf = ({ message }: Error): string => `PostgreSQL cannot read it: ${message}`;

function baseIn(row: BaseRow): PlayerBase | DamagedState {
  try {
    return baseOf(verified(PLAYER_BASE, row));
  } catch {
    return { id: row.id, why: "what pruned matches add to its lifetime record is damaged" };
  }
}
