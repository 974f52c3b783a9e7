/**
 * Finds the records in a damaged file, page by page. It needs neither the trees above the rows nor the indexes: only
 * the page of a row must be whole.
 */

import type { Database } from "bun:sqlite";
import type { ActorTotals } from "../../domain/actors.ts";
import { baseOf } from "../core/bases.ts";
import { verified } from "../row-checks.ts";
import {
  type DamagedPage,
  type DamagedRecord,
  type DamagedState,
  type DamagedStore,
  type FoundRecord,
  type ListedRecord,
  type RecordTable,
  recordFrom,
  type Salvaged,
  salvagedActor,
  salvagedRedaction,
} from "../salvage.ts";
import type { PlayerBase, Redaction } from "../store.ts";
import { isWhole, storedColumns } from "../table.ts";
import {
  ACTOR_STATS,
  type ActorRow,
  type BaseRow,
  PLAYER_BASE,
  SHARD,
  type ShardColumns,
} from "../tables.ts";
import {
  BrokenRow,
  isIndexPage,
  isInteger,
  isLeaf,
  isTablePage,
  isText,
  kindAt,
  type LeafRow,
  rowsOn,
  valuesIn,
} from "./leaf-rows.ts";
import type { PageFile } from "./page-file.ts";
import { SnapshotPages, TABLES, tableOf } from "./snapshot-pages.ts";

export class SqliteSalvage implements DamagedStore {
  #prunedBefore: number | null | undefined;
  /** Whether the file has what pruned records left behind. */
  #wasPruned = false;
  /** The names of tables and indexes by their root pages. */
  readonly #roots = new Map<number, string>();
  readonly #snapshots: SnapshotPages;

  /** Without `database`, SQLite cannot open the file at all. */
  constructor(
    private readonly file: PageFile,
    private readonly database: Database | undefined,
  ) {
    this.#snapshots = new SnapshotPages(file);
    for (const page of this.#leaves()) {
      for (const row of rowsOn(file, page.number, page.bytes)) {
        if (row instanceof BrokenRow) continue;
        if (tableOf(row) === "match_snapshots") this.#snapshots.add(page.number, row.rowid);
        else if (isSchema(row)) this.#noteRoot(row);
        else if (isShard(row)) this.#prunedBefore ??= prunedBeforeIn(row);
        else if (tableOf(row) === "player_base") this.#wasPruned = true;
      }
    }
    this.#wasPruned ||= typeof this.#prunedBefore === "number";
    this.#snapshots.sort();
  }

  get pages(): number {
    return this.file.pages;
  }

  *salvaged(onPage: (page: number) => void): Generator<Salvaged> {
    for (let page = 1; page <= this.file.pages; page++) {
      onPage(page);
      const bytes = this.file.read(page);
      if (bytes && isLeaf(bytes[kindAt(page)]!) && !this.file.isFree(page)) {
        yield* this.#recordsOn(page, bytes);
      } else {
        const damage = this.#damageOf(page, bytes);
        if (damage) yield damage;
      }
    }
  }

  *redactions(): Generator<Redaction | DamagedState> {
    for (let page = 1; page <= this.file.pages; page++) {
      const root = this.#rootName(page);
      const isListed = root === "redactions";
      if ((root !== undefined && !isListed) || this.file.isFree(page)) continue;
      const bytes = this.file.read(page);
      if (bytes && isIndexPage(bytes[kindAt(page)]!))
        yield* this.#redactionsOn(page, bytes, isListed);
      else if (isListed) yield { id: undefined, why: `page ${page}, with redactions, is damaged` };
    }
  }

  /** If the table of the page is unknown, what has the checksum of a redaction is one. */
  *#redactionsOn(
    page: number,
    bytes: Buffer,
    isListed: boolean,
  ): Generator<Redaction | DamagedState> {
    for (const row of rowsOn(this.file, page, bytes)) {
      const found = redactionIn(row);
      if (isListed || !("why" in found)) yield found;
    }
  }

  prunedBefore(): number | null | undefined {
    return this.#prunedBefore;
  }

  *bases(): Generator<PlayerBase | DamagedState> {
    for (const page of this.#leaves()) {
      for (const row of rowsOn(this.file, page.number, page.bytes)) {
        if (row instanceof BrokenRow || tableOf(row) !== "player_base") continue;
        yield baseIn(row);
      }
    }
  }

  /** Those of matches that were not pruned are counted again. */
  *prunedActors(): Generator<ActorTotals | DamagedState> {
    for (const page of this.#leaves()) {
      for (const row of rowsOn(this.file, page.number, page.bytes)) {
        if (row instanceof BrokenRow || tableOf(row) !== "actor_stats") continue;
        const found = actorIn(row);
        if ("why" in found ? this.#wasPruned : found.isPruned) yield found;
      }
    }
  }

  listed(): Generator<ListedRecord, boolean> {
    return listedRecords(this.database);
  }

  *#leaves(): Generator<{ number: number; bytes: Buffer }> {
    for (let number = 1; number <= this.file.pages; number++) {
      const bytes = this.file.read(number);
      if (bytes && isLeaf(bytes[kindAt(number)]!) && !this.file.isFree(number)) {
        yield { number, bytes };
      }
    }
  }

  *#recordsOn(page: number, bytes: Buffer): Generator<Salvaged> {
    let broken: BrokenRow | undefined;
    const root = this.#rootName(page);
    for (const row of rowsOn(this.file, page, bytes)) {
      if (row instanceof BrokenRow) {
        broken = row;
        continue;
      }
      const table = tableOf(row);
      if (table === "matches") yield this.#served(row);
      else if (table === "withheld") yield withheld(row);
      else if (table === undefined && root !== undefined && this.#isKept(root)) {
        broken = new BrokenRow("a row has impossible columns");
      }
    }
    // Rows of other tables are rebuilt.
    if (broken && (root === undefined || this.#isKept(root))) {
      yield { kind: "page", page, table: root, why: broken.message, bytes };
    }
  }

  /** A page that belongs to a table with records, as far as is known, and cannot be read. */
  #damageOf(page: number, bytes: Buffer | undefined): DamagedPage | undefined {
    if (this.file.isUnused(page) || this.file.isFree(page)) return undefined;
    if (bytes && (page === 1 || isTablePage(bytes[0]!))) return undefined;
    const isBranch = this.file.isBranch(page) ?? !(bytes && this.#canContinueRow(bytes));
    const table = this.#rootName(page);
    if (!isBranch || (table !== undefined && !this.#isKept(table))) return undefined;
    const why = bytes ? "the page is not part of a table" : "the page is missing";
    return { kind: "page", page, table, why, bytes };
  }

  /** Pages with the rest of a long row begin with the number of the next one. */
  #canContinueRow(bytes: Buffer): boolean {
    return bytes.readUInt32BE(0) <= this.file.pages;
  }

  /** Whether a table has what cannot be rebuilt. */
  #isKept(table: string): boolean {
    return TABLES.includes(table) || (table === "actor_stats" && this.#wasPruned);
  }

  #rootName(page: number): string | undefined {
    const root = this.file.rootOf(page);
    return root === undefined ? undefined : this.#roots.get(root);
  }

  #served(row: LeafRow): FoundRecord | DamagedRecord {
    const found = { table: "matches", row: row.rowid } as const;
    const snapshot = this.#snapshots.find(row.rowid);
    const values = valuesIn(row);
    if (!values) return lost(found, snapshot?.bytes);
    const [, id, createdAt, , , contentHash, document] = values;
    return recordFrom(found, {
      id,
      createdAt,
      contentHash: contentHash as Buffer,
      document: document as Buffer,
      snapshot: snapshot?.bytes,
      snapshotChecksum: snapshot?.checksum,
    });
  }

  #noteRoot(row: LeafRow): void {
    const [, name, , root] = valuesIn(row) ?? [];
    if (typeof root === "number" && typeof name === "string") this.#roots.set(root, name);
  }
}

function withheld(row: LeafRow): FoundRecord | DamagedRecord {
  const found = { table: "withheld", row: row.rowid } as const;
  const values = valuesIn(row);
  if (!values) return lost(found);
  const [id, createdAt, , , , contentHash, document, snapshot] = values;
  return recordFrom(found, {
    id,
    createdAt,
    contentHash: contentHash as Buffer,
    document: document as Buffer,
    snapshot: snapshot as Buffer,
    snapshotChecksum: undefined,
  });
}

/** Only indexes are read, so that damaged rows do not matter. Returns whether they could be read to the end. */
function* listedRecords(database: Database | undefined): Generator<ListedRecord, boolean> {
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

function redactionIn(row: LeafRow | BrokenRow): Redaction | DamagedState {
  const values = row instanceof BrokenRow ? undefined : valuesIn(row);
  const [id, redactedAt, checksum] = values ?? [];
  if (values?.length !== 3 || typeof id !== "string") {
    return { id: undefined, why: "the redaction of a player cannot be read" };
  }
  return salvagedRedaction({
    player_id: id,
    redacted_at: redactedAt as number,
    ...{ checksum },
  });
}

function baseIn(row: LeafRow): PlayerBase | DamagedState {
  const values = valuesIn(row);
  if (!values) return { row: row.rowid, id: undefined, why: "a page of its row is missing" };
  const base = Object.fromEntries(
    storedColumns(PLAYER_BASE).map((column, at) => [column, values[at]]),
  );
  try {
    return baseOf(verified(PLAYER_BASE, base as unknown as BaseRow));
  } catch {
    const id = typeof base.id === "string" ? base.id : undefined;
    return { row: row.rowid, id, why: "what pruned matches add to its lifetime record is damaged" };
  }
}

function actorIn(row: LeafRow): ActorTotals | DamagedState {
  const values = valuesIn(row);
  if (!values) return { row: row.rowid, id: undefined, why: "a page of its row is missing" };
  const actor = Object.fromEntries(
    storedColumns(ACTOR_STATS).map((column, at) => [column, values[at]]),
  );
  return salvagedActor(actor as unknown as ActorRow, row.rowid);
}

const lost = (
  found: { table: RecordTable; row: number },
  snapshot?: Uint8Array,
): DamagedRecord => ({
  kind: "damaged",
  ...found,
  id: undefined,
  createdAt: undefined,
  why: "a page of its row is missing",
  encoded: undefined,
  snapshot,
});

const isSchema = ({ types }: LeafRow): boolean =>
  types.length === 5 && [0, 1, 2].every((at) => isText(types[at])) && isInteger(types[3]);

const SHARD_COLUMNS = storedColumns(SHARD);

const isShard = ({ types }: LeafRow): boolean =>
  types.length === SHARD_COLUMNS.length &&
  [0, 1, 3].every((at) => isText(types[at])) &&
  types.slice(5).every(isInteger);

/** Undefined if the row is damaged. */
function prunedBeforeIn(row: LeafRow): number | null | undefined {
  const values = valuesIn(row);
  if (!values) return undefined;
  const shard = Object.fromEntries(SHARD_COLUMNS.map((column, at) => [column, values[at]]));
  const found = shard as unknown as ShardColumns;
  return isWhole(SHARD, found) ? found.pruned_before : undefined;
}
