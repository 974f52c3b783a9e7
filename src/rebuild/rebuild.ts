/**
 * Rebuilds a shard in another store. What is derived from its records is computed by the functions of ingest; what cannot be
 * derived is copied: redactions, what pruned records left behind, the prune cutoff and the change log. Players and teams
 * keep their internal numbers, so that every row of the new shard is equal to that of a shard without damage.
 */

import { applyBatch, type Rebuilding } from "../ingest/commit-batch.ts";
import { finishRebuild } from "../ingest/derived.ts";
import { restore } from "../ingest/prepare.ts";
import { addBases, PendingNamed } from "../ingest/update-players.ts";
import { DERIVED_TABLES } from "../store/all-tables/declared.ts";
import { compareKeys } from "../store/all-tables/rows.ts";
import { baseOf } from "../store/core/bases.ts";
import { damagedCommits } from "../store/core/change-log.ts";
import {
  DamagedData,
  type GivenNumbers,
  type NamedTable,
  type Redaction,
  type RowRange,
  type ShardRecord,
  type StoredRow,
  type StoredState,
  type Transaction,
  type Writer,
} from "../store/store.ts";
import { isWhole, type Table, type TableShape } from "../store/table.ts";
import {
  type BaseRow,
  CHANGES,
  type ChangeRow,
  DOCUMENTS,
  MATCHES,
  PLAYER_BASE,
  PLAYER_MATCHES,
  RECORDS,
  REDACTIONS,
  SHARD,
  type ShardColumns,
} from "../store/tables.ts";

/** One state of a shard, also that of a transaction. */
type RebuildSource = Omit<StoredState, "checkIndexes">;

export interface RebuildOptions {
  /** The id of the shard: records of others are damage. */
  shard: string;
  /**
   * Redactions that are known from elsewhere: those of the source may be damaged. They are applied to all records; without
   * them, withheld records stay as they are.
   */
  redactions?: readonly Redaction[];
  /** The same shard, read without its indexes: whatever they hide. */
  unindexed?: RebuildSource;
  /** Called for each row and record that cannot be read. What it throws ends the rebuild. */
  onDamage(table: string, record: string): void;
  onProgress(records: number): void;
}

/** Records are decoded and applied so many at a time, and a transaction has so many: each of its players is written once. */
const BATCH = 1000;
const BATCHES = 50;
const ROWS = 1000;

/** Applies the source to an empty target. Nothing of the change log is there until takeOverLog(). */
export async function rebuild(source: RebuildSource, target: Writer, options: RebuildOptions) {
  const shard = await shardOf(source);
  await begin(source, target, shard);
  const newestPruned = await addState(source, target, options);
  // Then it is damaged in the source, and this one may be earlier. It was later than every match that was pruned.
  const isCutoffLost = shard === undefined && newestPruned !== undefined;
  const prunedBefore = isCutoffLost ? newestPruned + 1 : (shard?.pruned_before ?? undefined);
  const applied = new Applied(target, prunedBefore, options);
  // In order, so that few players have to be read again.
  await applied.addListed(source, MATCHES);
  const { unindexed } = options;
  const isEach = applied.records === (await orUndefined(() => source.rowCount(RECORDS)));
  if (!isEach || unindexed) await applied.addListed(source, RECORDS);
  if (unindexed) {
    for (const table of [DOCUMENTS, PLAYER_MATCHES]) await applied.addListed(source, table);
    for (const table of [RECORDS, DOCUMENTS]) await applied.addListed(unindexed, table);
  }
  applied.reportUnread();
  await target.write(async (one) => {
    await finishRebuild(one);
    // Last: some records may be older, if a prune was interrupted.
    if (prunedBefore !== undefined) await one.setPrunedBefore(prunedBefore);
  }, NO_NUMBERS);
  return { records: applied.records, prunedBefore, isCutoffLost };
}

/** Undefined if it is damaged. */
export async function orUndefined<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DamagedData) return undefined;
    throw error;
  }
}

/** For what adds no players and teams. */
export const NO_NUMBERS: GivenNumbers = { players: new Map(), teams: new Map() };

/** New numbers follow those of the source, which its change log names. */
async function begin(
  source: RebuildSource,
  target: Writer,
  shard: ShardColumns | undefined,
): Promise<void> {
  const highest = async (table: NamedTable) =>
    (await orUndefined(() => source.highestNumber(table))) ?? 0;
  const last_player = Math.max(shard?.last_player ?? 0, await highest("players"));
  const last_team = Math.max(shard?.last_team ?? 0, await highest("teams"));
  await target.write(async (one) => one.setShard({ last_player, last_team }), NO_NUMBERS);
}

/** The row of a shard; undefined if it is damaged. */
async function shardOf(source: RebuildSource): Promise<ShardColumns | undefined> {
  const rows = await orUndefined(() => source.rows(SHARD, { after: undefined, limit: 1 }));
  const row = rows?.[0];
  return row && isWhole(SHARD, row as ShardColumns) ? (row as ShardColumns) : undefined;
}

/** What pruned and redacted records left behind comes before all records. Returns the newest pruned match that is known. */
async function addState(
  source: RebuildSource,
  target: Writer,
  { redactions = [], onDamage }: RebuildOptions,
): Promise<number | undefined> {
  let newest: number | undefined;
  const write = (work: (one: Transaction) => Promise<void>) => target.write(work, NO_NUMBERS);
  for await (const rows of wholeRows(source, REDACTIONS, onDamage)) {
    await write(async (one) => one.copyRows(REDACTIONS, rows));
  }
  await write(async (one) => one.addRedactions([...redactions]));
  for await (const rows of wholeRows(source, PLAYER_BASE, onDamage)) {
    const bases = (rows as BaseRow[]).map(baseOf);
    for (const { standing } of bases) {
      const { createdAt } = standing?.latest ?? {};
      if (createdAt !== undefined) newest = Math.max(createdAt, newest ?? createdAt);
    }
    const ids = bases.map(({ id }) => id);
    const numbers = { ...NO_NUMBERS, players: await numbersOf(source, "players", ids) };
    await target.write((one) => addBases(one, bases), numbers);
  }
  for (const table of DERIVED_TABLES) {
    const { keeps } = table.derived;
    if (keeps === undefined) continue;
    for await (const rows of wholeRows(source, table, onDamage)) {
      const kept = rows.filter((row) => row[keeps] === 1);
      await write(async (one) => one.copyRows(table, kept));
    }
  }
  return newest;
}

/** Without those that cannot be read: they get new ones. */
const numbersOf = async (source: RebuildSource, table: NamedTable, ids: string[]) =>
  (await orUndefined(() => source.numbersOf(table, ids))) ?? new Map<string, number>();

/** All rows of a table in the order of its key, in steps. */
export async function* storedRows(
  source: Pick<StoredState, "rows">,
  table: TableShape,
): AsyncGenerator<StoredRow[]> {
  for (let after: StoredRow | undefined; ; ) {
    const rows = await source.rows(table, { after, limit: ROWS });
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS) return;
    const last = rows.at(-1)!;
    // A damaged index may lead to the same rows again and again.
    if (after && compareKeys(after, last, table.key) >= 0)
      throw new DamagedData(table.name, "order");
    after = last;
  }
}

async function* wholeRows(
  source: RebuildSource,
  table: TableShape,
  onDamage: RebuildOptions["onDamage"],
): AsyncGenerator<StoredRow[]> {
  const declared = table as Table<StoredRow>;
  try {
    for await (const rows of storedRows(source, table)) {
      const whole = rows.filter((row) => isWhole(declared, row));
      for (const row of rows) {
        if (!whole.includes(row)) onDamage(table.name, declared.label(row));
      }
      yield whole;
    }
  } catch (error) {
    if (!(error instanceof DamagedData)) throw error;
    onDamage(table.name, String(error.record));
  }
}

/** The records that were applied so far. */
class Applied {
  records = 0;
  /** Ids that are named and could not be read, with the table. */
  readonly #unread = new Map<string, string>();

  constructor(
    private readonly target: Writer,
    private readonly prunedBefore: number | undefined,
    private readonly options: RebuildOptions,
  ) {}

  /** Applies the records that the keys of a table name, and that are not there yet. */
  async addListed(source: RebuildSource, table: TableShape): Promise<void> {
    for (const isReverse of [false, true]) {
      const range: RowRange = { after: undefined, limit: BATCH, isReverse };
      try {
        while (await this.#addNext(source, table, range));
        return;
      } catch (error) {
        if (!(error instanceof DamagedData)) throw error;
        // What follows the damage is read from the other end.
        if (!isReverse) this.options.onDamage(error.table, String(error.record));
      }
    }
  }

  /** One transaction. Returns whether there is more in the table. */
  async #addNext(source: RebuildSource, table: TableShape, range: RowRange): Promise<boolean> {
    const isFirst = table === MATCHES && !range.isReverse;
    const column = table.key.at(-1)!;
    const named = new PendingNamed();
    const numbers = { players: new Map<string, number>(), teams: new Map<string, number>() };
    let unreadable: DamagedData | undefined;
    let hasMore = true;
    const work = async (transaction: Transaction) => {
      for (let batch = 0; batch < BATCHES && hasMore && !unreadable; batch++) {
        const keys = await keysIn(source, table, range);
        if (keys instanceof DamagedData) unreadable = keys;
        else {
          const ids = [...new Set(keys.map((key) => String(key[column])))];
          const known = isFirst ? new Map() : await transaction.known(ids);
          const missing = ids.filter((id) => !known.has(id));
          const records = await this.#load(source, table.name, missing);
          await this.#add(source, transaction, records, named, numbers);
          hasMore = keys.length === BATCH;
          range.after = keys.at(-1) ?? range.after;
        }
      }
      await named.write(transaction);
    };
    await this.target.write(work, numbers);
    // After the commit of what was read before it.
    if (unreadable) throw unreadable;
    return hasMore;
  }

  reportUnread(): void {
    for (const [id, table] of this.#unread) this.options.onDamage(table, id);
  }

  async #add(
    source: RebuildSource,
    transaction: Transaction,
    records: readonly ShardRecord[],
    named: PendingNamed,
    numbers: Record<NamedTable, Map<string, number>>,
  ): Promise<void> {
    if (records.length === 0) return;
    const { shard, redactions, onDamage } = this.options;
    const restored = records.map(({ match }) => restore(match));
    const batch = restored.filter(({ outline }) => outline.shard === shard);
    for (const { outline } of restored) {
      if (outline.shard !== shard) onDamage(RECORDS.name, outline.id);
    }
    const fates = new Map(records.map(({ fate, match }) => [match.id, fate]));
    const onServed: Rebuilding["onServed"] = async (served) => {
      for (const kind of ["players", "teams"] as const) {
        const ids = new Set(served.flatMap(({ outline }) => outline[kind].map(({ id }) => id)));
        const unknown = [...ids].filter((id) => !numbers[kind].has(id));
        for (const [id, num] of await numbersOf(source, kind, unknown)) numbers[kind].set(id, num);
      }
    };
    const rebuilding = {
      named,
      prunedBefore: this.prunedBefore,
      fates,
      keepsWithheld: redactions === undefined,
      onServed,
    };
    await applyBatch(transaction, batch, { replace: false, rebuilding });
    this.records += batch.length;
    this.options.onProgress(this.records);
  }

  /** Those that can be read. If one of them cannot, they are read one by one. */
  async #load(source: RebuildSource, table: string, ids: string[]): Promise<ShardRecord[]> {
    try {
      const records = await source.load(ids);
      if (records.length === ids.length) {
        for (const id of ids) this.#unread.delete(id);
        return records;
      }
    } catch (error) {
      if (!(error instanceof DamagedData)) throw error;
      if (ids.length === 1) {
        this.#unread.set(ids[0]!, error.table === "file" ? table : error.table);
        return [];
      }
    }
    if (ids.length === 1) {
      if (!this.#unread.has(ids[0]!)) this.#unread.set(ids[0]!, table);
      return [];
    }
    const records: ShardRecord[] = [];
    for (const id of ids) records.push(...(await this.#load(source, table, [id])));
    return records;
  }
}

/** The next keys of a table, or why they cannot be read. */
async function keysIn(
  source: RebuildSource,
  table: TableShape,
  range: RowRange,
): Promise<StoredRow[] | DamagedData> {
  try {
    const keys = await source.keys(table, range);
    const { after, isReverse } = range;
    const last = keys.at(-1);
    // A damaged index may lead to the same rows again and again.
    const order = after && last ? compareKeys(after, last, table.key) : 0;
    const follows = !after || !last || (isReverse ? order > 0 : order < 0);
    return follows ? keys : new DamagedData(table.name, "order");
  } catch (error) {
    if (error instanceof DamagedData) return error;
    throw error;
  }
}

/**
 * Takes over the change log, so that those who follow it go on. Positions before a damaged commit would miss it: only what
 * follows is taken over.
 */
export async function takeOverLog(source: RebuildSource, target: Writer): Promise<void> {
  const shard = await shardOf(source);
  let rows: ChangeRow[] = [];
  let damagedUpTo = 0;
  let last: ChangeRow | undefined;
  for await (const step of storedRows(source, CHANGES)) {
    rows = step as ChangeRow[];
    const damaged = damagedCommits(last ? [last, ...rows] : rows);
    damagedUpTo = damaged.at(-1) ?? damagedUpTo;
    last = rows.at(-1);
  }
  for await (const step of storedRows(source, CHANGES)) {
    const taken = step.filter(({ sequence }) => (sequence as number) > damagedUpTo);
    await target.write(async (one) => one.copyRows(CHANGES, taken), NO_NUMBERS);
  }
  const { log_id, sequence } = shard ?? {};
  await target.write(
    async (one) =>
      one.setShard({
        ...(log_id !== undefined && { log_id }),
        sequence: sequence ?? last?.sequence ?? 0,
        token: shard?.token ?? last?.token ?? "",
      }),
    NO_NUMBERS,
  );
}
