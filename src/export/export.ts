/**
 * Exports a shard as NDJSON: documents from which ingest makes the identical records. There are also lines with
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
import { recordBatches, tableRows } from "./scan.ts";

/** Whole lines, and how many of them are served and withheld records. */
export interface ExportChunk {
  bytes: Uint8Array;
  served: number;
  withheld: number;
}

const CHUNK_LENGTH = 256 * 1024;
const STEP = 1000;

/**
 * Yields the shard with this id in chunks of bounded memory. `contents` is one state of it. Throws StoreError when something
 * is damaged.
 */
export async function* exportRecords(
  contents: ShardContents,
  shard: string,
): AsyncGenerator<ExportChunk> {
  let lines = "";
  let counts = { served: 0, withheld: 0 };
  for await (const { document, fate } of linesOf(contents, shard)) {
    lines += `${document}\n`;
    if (fate) counts[fate.state] += 1;
    if (lines.length < CHUNK_LENGTH) continue;
    yield { ...counts, bytes: Buffer.from(lines) };
    lines = "";
    counts = { served: 0, withheld: 0 };
  }
  if (lines !== "") yield { ...counts, bytes: Buffer.from(lines) };
}

/** With the fate of a record. */
interface Line {
  document: string;
  fate?: Fate;
}

async function* linesOf(contents: ShardContents, shard: string): AsyncGenerator<Line> {
  for await (const document of stateLines(contents, shard)) yield { document };
  const cutoff = await contents.prunedBefore();
  let left = 0;
  for await (const batch of recordBatches(contents, STEP)) {
    for (const { fate, match } of batch) {
      if (cutoff !== undefined && match.createdAt < cutoff) left += 1;
      yield { document: recordDocument(match), fate };
    }
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
