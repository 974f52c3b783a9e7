/** Reads the whole content of a shard, in batches of bounded memory. */

import { compareKeys } from "../store/all-tables/rows.ts";
import { verifyFollows } from "../store/row-checks.ts";
import {
  type AdminReader,
  DamagedData,
  type Fate,
  type MatchKey,
  type ShardContents,
  type ShardRecord,
  type StoredRow,
} from "../store/store.ts";
import type { DerivedTable } from "../store/table.ts";

/**
 * Reads every step in a short transaction of its own, so that SQLite can empty its WAL meanwhile. Steps see different
 * states if somebody writes.
 */
export function inSteps(shard: Pick<AdminReader, "survey">): ShardContents {
  return {
    records: (after, limit) => shard.survey(async (contents) => contents.records(after, limit)),
    players: (afterId, limit) => shard.survey(async (contents) => contents.players(afterId, limit)),
    teams: (afterId, limit) => shard.survey(async (contents) => contents.teams(afterId, limit)),
    bases: (afterId, limit) => shard.survey(async (contents) => contents.bases(afterId, limit)),
    prunedBefore: () => shard.survey(async (contents) => contents.prunedBefore()),
    redactions: () => shard.survey(async (contents) => contents.redactions()),
    kept: (table, after, limit) =>
      shard.survey(async (contents) => contents.kept(table, after, limit)),
  };
}

/** A place in the order of `ShardContents.records()`. */
export interface RecordPosition {
  fate: Fate;
  match: MatchKey;
}

/** Before the size of records is known. */
const FIRST_BATCH = 64;
/** As stored. Parsed, they take about ten times as much. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** Every record after a position: served ones in order, then withheld ones by id. */
export async function* recordBatches(
  holdings: ShardContents,
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

const NAMED_BATCH = 500;

type Named<K extends keyof ShardContents> = Awaited<ReturnType<ShardContents[K]>>;

/** Every player, every team, or what pruned records left behind of every player, by id. */
export async function* namedBatches<K extends "players" | "teams" | "bases">(
  holdings: Pick<ShardContents, K>,
  kind: K,
): AsyncGenerator<Named<K>> {
  let last = "";
  for (;;) {
    const batch = await holdings[kind](last, NAMED_BATCH);
    for (const { id } of batch) {
      if (id <= last) throw new DamagedData(kind === "bases" ? "player_base" : kind, id);
      last = id;
    }
    if (batch.length > 0) yield batch as Named<K>;
    if (batch.length < NAMED_BATCH) return;
  }
}

/** What pruned records left behind in a derived table, by key. */
export async function* keptBatches(
  holdings: Pick<ShardContents, "kept">,
  table: DerivedTable,
): AsyncGenerator<StoredRow[]> {
  for (let last: StoredRow | undefined; ; ) {
    const batch = await holdings.kept(table, last, NAMED_BATCH);
    const next = batch.at(-1);
    // A damaged index may lead to the same rows again and again.
    if (next && last && compareKeys(last, next, table.key) >= 0) {
      throw new DamagedData(table.name, "order");
    }
    last = next;
    if (batch.length > 0) yield batch;
    if (batch.length < NAMED_BATCH) return;
  }
}
