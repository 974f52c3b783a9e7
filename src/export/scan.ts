/** Reads the whole content of a shard, in batches of bounded memory. */

import { storedRows } from "../rebuild/rebuild.ts";
import { verifyFollows } from "../store/row-checks.ts";
import {
  type AdminReader,
  DamagedData,
  type Fate,
  type MatchKey,
  type ShardContents,
  type ShardRecord,
} from "../store/store.ts";
import { isWhole, type Table } from "../store/table.ts";

/**
 * Reads every step in a short transaction of its own, so that SQLite can empty its WAL meanwhile. Steps see different
 * states if somebody writes.
 */
export function inSteps(
  shard: Pick<AdminReader, "survey">,
): Pick<ShardContents, "records" | "rows"> {
  return {
    records: (after, limit) => shard.survey(async (contents) => contents.records(after, limit)),
    rows: (table, range) => shard.survey(async (contents) => contents.rows(table, range)),
  };
}

/** A place in the order of `ShardContents.records()`. */
export interface RecordPosition {
  fate: Fate;
  match: MatchKey;
}

/** Before the first withheld record. */
export const BEFORE_WITHHELD: RecordPosition = {
  fate: { state: "withheld", reason: "game-mode" },
  match: { createdAt: 0, id: "" },
};

/** Before the size of records is known. */
const FIRST_BATCH = 64;
/** As stored. Parsed, they take about ten times as much. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** Every record after a position: served ones in order, then withheld ones by id. */
export async function* recordBatches(
  holdings: Pick<ShardContents, "records">,
  mostRecords: number,
  after?: RecordPosition,
): AsyncGenerator<ShardRecord[]> {
  let last = after;
  let size = Math.min(FIRST_BATCH, mostRecords);
  for (;;) {
    const batch = await holdings.records(last, size);
    for (const record of batch) {
      if (last) verifyFollows(last, record);
      last = record;
    }
    if (batch.length > 0) yield batch;
    if (batch.length < size) return;
    size = Math.min(mostRecords, fitting(batch));
  }
}

/** How many records of this size fit into a batch. */
function fitting(batch: readonly ShardRecord[]): number {
  const bytes = batch.reduce(
    (sum, { match }) => sum + match.encoded.length + match.carried.length,
    0,
  );
  return Math.max(1, Math.floor((BATCH_BYTES * batch.length) / bytes));
}

/** Every row of a table by its key, in batches. Throws DamagedData for one that is not whole. */
export async function* tableRows<Row>(
  state: Pick<ShardContents, "rows">,
  table: Table<Row, keyof Row & string>,
): AsyncGenerator<Row[]> {
  for await (const stored of storedRows(state, table)) {
    const rows = stored as Row[];
    const damaged = rows.find((row) => !isWhole(table, row));
    if (damaged) throw new DamagedData(table.name, table.label(damaged));
    yield rows;
  }
}
