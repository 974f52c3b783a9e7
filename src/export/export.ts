/**
 * Exports a shard as NDJSON: documents from which ingest makes the identical records. A whole shard also has lines with
 * what is not in its records (`stateDocument()`): first redacted players, then what pruned records left behind, which
 * other records are added to, and last the prune cutoff, before which ingest accepts nothing any more.
 */

import { recordDocument } from "../document/record.ts";
import { stateDocument } from "../document/shard-state.ts";
import { DERIVED_TABLES } from "../store/all-tables/declared.ts";
import { baseOf } from "../store/core/bases.ts";
import type { Fate, ShardContents, StoredRow } from "../store/store.ts";
import type { Table } from "../store/table.ts";
import { PLAYER_BASE } from "../store/tables.ts";
import { type RecordPosition, recordBatches, tableRows } from "./scan.ts";

export interface ExportOptions {
  /** The shard's id. */
  shard: string;
  /** Only records created at or after this time, in milliseconds. */
  since?: number | undefined;
  /** Whether to export withheld records too. */
  withheld: boolean;
}

/** Whole lines, and how many of them are served and withheld records. */
export interface ExportChunk {
  bytes: Uint8Array;
  served: number;
  withheld: number;
  /** The bytes of the longest line. */
  longest: number;
}

const CHUNK_LENGTH = 256 * 1024;
const STEP = 1000;

/**
 * Yields every record in chunks of bounded memory, without `since` and with withheld ones the whole shard. `contents` is one
 * state of the shard. Throws StoreError when something is damaged.
 */
export async function* exportRecords(
  contents: ShardContents,
  options: ExportOptions,
): AsyncGenerator<ExportChunk> {
  const isWhole = options.withheld && options.since === undefined;
  let lines = "";
  let chunk = emptyChunk();
  for await (const line of isWhole
    ? wholeShard(contents, options.shard)
    : recordLines(contents, options)) {
    const { document, fate } = line;
    lines += `${document}\n`;
    if (fate) chunk[fate.state] += 1;
    chunk.longest = Math.max(chunk.longest, Buffer.byteLength(document));
    if (lines.length < CHUNK_LENGTH) continue;
    yield { ...chunk, bytes: Buffer.from(lines) };
    lines = "";
    chunk = emptyChunk();
  }
  if (lines !== "") yield { ...chunk, bytes: Buffer.from(lines) };
}

const emptyChunk = () => ({ served: 0, withheld: 0, longest: 0 });

interface Line {
  document: string;
  /** Of a record. */
  fate?: Fate;
  createdAt?: number;
}

async function* wholeShard(contents: ShardContents, shard: string): AsyncGenerator<Line> {
  for await (const document of stateLines(contents, shard)) yield { document };
  const cutoff = await contents.prunedBefore();
  let left = 0;
  for await (const line of recordLines(contents, { withheld: true })) {
    if (cutoff !== undefined && line.createdAt! < cutoff) left += 1;
    yield line;
  }
  if (cutoff !== undefined) {
    yield { document: stateDocument(shard, { kind: "pruned", before: cutoff, left }) };
  }
}

async function* stateLines(contents: ShardContents, shard: string): AsyncGenerator<string> {
  for (const redaction of await contents.redactions()) {
    yield stateDocument(shard, { kind: "redacted", redaction });
  }
  for await (const rows of tableRows(contents, PLAYER_BASE)) {
    for (const row of rows) yield stateDocument(shard, { kind: "base", base: baseOf(row) });
  }
  for (const table of DERIVED_TABLES) {
    const { keeps } = table.derived;
    if (keeps === undefined) continue;
    for await (const rows of tableRows(contents, table as unknown as Table<StoredRow>)) {
      const kept = rows.filter((row) => row[keeps] === 1);
      for (const row of kept) yield stateDocument(shard, { kind: "kept", table, row });
    }
  }
}

/** Served records, then withheld ones. */
async function* recordLines(
  contents: ShardContents,
  { since = Number.NEGATIVE_INFINITY, withheld }: Omit<ExportOptions, "shard">,
): AsyncGenerator<Line> {
  // Ids are not empty, so this is before all records of that time.
  const start: RecordPosition | undefined = Number.isFinite(since)
    ? { fate: { state: "served" }, match: { createdAt: since, id: "" } }
    : undefined;
  for await (const batch of recordBatches(contents, STEP, start)) {
    for (const { fate, match } of batch) {
      if (fate.state === "withheld" && !withheld) return;
      const { createdAt } = match;
      if (createdAt >= since) yield { document: recordDocument(match), fate, createdAt };
    }
  }
}
