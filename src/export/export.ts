/**
 * Exports a shard as NDJSON: documents from which ingest makes the identical records. A whole shard also has lines with
 * what is not in its records (`stateDocument()`): first redacted players, then what pruned records left behind, which
 * other records are added to, and last the prune cutoff, before which ingest accepts nothing any more.
 */

import { recordDocument } from "../document/record.ts";
import { stateDocument } from "../document/shard-state.ts";
import { DERIVED_TABLES } from "../store/all-tables/declared.ts";
import { type Fate, type ShardContents, type ShardRecord, StoreError } from "../store/store.ts";
import { keptBatches, namedBatches, type RecordPosition, recordBatches } from "./scan.ts";

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
 * Yields every record in chunks of bounded memory, without `since` and with withheld ones the whole shard. Throws
 * StoreError when something is damaged.
 *
 * `contents` may be read in steps that see different states (`inSteps()`). Then every record that is stored unchanged
 * all the time is exported, also if it becomes served or withheld meanwhile: it may come twice, which is a duplicate
 * for ingest. Only one that becomes withheld and then served again may be missed. A whole shard that is pruned or
 * redacted meanwhile is a StoreError: a match could be missing, or count twice.
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
  const before = new Bun.CryptoHasher("sha256");
  for await (const document of stateLines(contents, shard)) {
    before.update(document);
    yield { document };
  }
  // After the lines above, which have no match that is newer.
  const cutoff = await contents.prunedBefore();
  let left = 0;
  for await (const line of recordLines(contents, { withheld: true })) {
    if (cutoff !== undefined && line.createdAt! < cutoff) left += 1;
    yield line;
  }
  const after = new Bun.CryptoHasher("sha256");
  for await (const document of stateLines(contents, shard)) after.update(document);
  if (before.digest("hex") !== after.digest("hex")) {
    throw new StoreError(
      `shard ${shard} was pruned, or a player redacted, during the export: run it again`,
    );
  }
  if (cutoff !== undefined) {
    yield { document: stateDocument(shard, { kind: "pruned", before: cutoff, left }) };
  }
}

/** Pruning changes them whenever a pruned match counts for a player. */
async function* stateLines(contents: ShardContents, shard: string): AsyncGenerator<string> {
  for (const redaction of await contents.redactions()) {
    yield stateDocument(shard, { kind: "redacted", redaction });
  }
  for await (const batch of namedBatches(contents, "bases")) {
    for (const base of batch) yield stateDocument(shard, { kind: "base", base });
  }
  for (const table of DERIVED_TABLES.filter(({ derived }) => derived.keeps !== undefined)) {
    for await (const batch of keptBatches(contents, table)) {
      for (const row of batch) yield stateDocument(shard, { kind: "kept", table, row });
    }
  }
}

async function* recordLines(
  contents: ShardContents,
  { since = Number.NEGATIVE_INFINITY, withheld }: Omit<ExportOptions, "shard">,
): AsyncGenerator<Line> {
  const records = withheld ? allRecords(contents, since) : servedRecords(contents, since);
  for await (const { fate, match } of records) {
    const { createdAt } = match;
    if (createdAt >= since) yield { document: recordDocument(match), fate, createdAt };
  }
}

/**
 * Withheld ones first: those that become served later are exported before, or found among the served ones. Withheld
 * ones again at the end: those that were served when the first pass was at their id, but no longer when the second was
 * at their time.
 */
async function* allRecords(contents: ShardContents, since: number): AsyncGenerator<ShardRecord> {
  const exported = new ExportedRecords();
  for await (const batch of recordBatches(contents, STEP, BEFORE_WITHHELD)) {
    exported.add(batch);
    yield* batch;
  }
  yield* servedRecords(contents, since);
  for await (const batch of recordBatches(contents, STEP, BEFORE_WITHHELD)) {
    yield* batch.filter((record) => !exported.has(record));
  }
}

async function* servedRecords(contents: ShardContents, since: number): AsyncGenerator<ShardRecord> {
  // Ids are not empty, so this is before all records of that time.
  const start: RecordPosition | undefined = Number.isFinite(since)
    ? { fate: { state: "served" }, match: { createdAt: since, id: "" } }
    : undefined;
  for await (const batch of recordBatches(contents, STEP, start)) {
    for (const record of batch) {
      if (record.fate.state === "withheld") return;
      yield record;
    }
  }
}

/** The reason and the time are not part of this order. */
const BEFORE_WITHHELD: RecordPosition = {
  fate: { state: "withheld", reason: "game-mode" },
  match: { createdAt: 0, id: "" },
};

/** Which records a pass by id has exported, in 8 bytes each; asked in the same order. */
class ExportedRecords {
  /** Each batch by its last id, with half of each content hash. */
  readonly #batches: { lastId: string; hashes: BigUint64Array }[] = [];
  #at = 0;
  #current: Set<bigint> | undefined;

  add(batch: readonly ShardRecord[]): void {
    const hashes = BigUint64Array.from(batch, shortHash);
    this.#batches.push({ lastId: batch.at(-1)!.match.id, hashes });
  }

  has(record: ShardRecord): boolean {
    while (this.#at < this.#batches.length && this.#batches[this.#at]!.lastId < record.match.id) {
      this.#at += 1;
      this.#current = undefined;
    }
    this.#current ??= new Set(this.#batches[this.#at]?.hashes);
    return this.#current.has(shortHash(record));
  }
}

function shortHash({ match: { contentHash } }: ShardRecord): bigint {
  return new DataView(contentHash.buffer, contentHash.byteOffset).getBigUint64(0);
}
