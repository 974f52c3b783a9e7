/**
 * Rebuilds a shard from what is left of its records. Everything else follows from them by the same rules as at ingest:
 * what is served, players, teams, indexes, totals.
 */

import { restoreRecord } from "../document/record.ts";
import { commitBatch } from "../ingest/commit-batch.ts";
import { type PreparedRecord, presentContentHash, restore } from "../ingest/prepare.ts";
import { snapshotChecksum } from "../store/row-checks.ts";
import type { DamagedStore, FoundRecord, ListedRecord } from "../store/salvage.ts";
import type { StoredMatch, Writer } from "../store/store.ts";
import type { MovedAside } from "./moved-aside.ts";

export interface RebuildOptions {
  /** The maximum number of records per transaction. */
  batch: number;
  /** Called for what cannot be restored. */
  onAside(aside: MovedAside): void;
  /** Pages of the damaged file, and records so far. */
  onProgress(page: number, records: number): void;
}

export interface Rebuilt {
  /** Records in the new store, served or withheld. */
  records: number;
  /** Records that are there but damaged, or that the indexes list and that were not found. */
  lost: number;
  /** Records that differ from another one with the same id, which was kept. */
  conflicts: number;
  /** Pages that cannot be read and may have had records. */
  pages: number;
  /** Whether the indexes could be read, so that records on those pages are counted as lost. */
  isCompared: boolean;
}

/** As stored. Parsed, they take about ten times as much. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** Writes all records that can be restored to an empty store. */
export async function rebuild(
  source: DamagedStore,
  target: Writer,
  { batch: mostRecords, onAside, onProgress }: RebuildOptions,
): Promise<Rebuilt> {
  const rebuilt: Rebuilt = { records: 0, lost: 0, conflicts: 0, pages: 0, isCompared: false };
  const damaged = new Set<string>();
  let batch: { found: FoundRecord; record: PreparedRecord }[] = [];
  let bytes = 0;
  const commit = async () => {
    const records = batch.map(({ record }) => record);
    const { outcomes } = await commitBatch(target, records, { replace: false });
    for (const [at, { found, record }] of batch.entries()) {
      const { kind } = outcomes[at]!;
      if (kind === "conflict") {
        rebuilt.conflicts += 1;
        onAside({ ...asideOf(found, record), why: "another record with this id was restored" });
      } else if (kind !== "duplicate") rebuilt.records += 1;
    }
    batch = [];
    bytes = 0;
  };
  const setAside = (aside: MovedAside & ListedKey) => {
    rebuilt.lost += 1;
    damaged.add(keyOf(aside));
    onAside(aside);
  };

  for (const found of source.salvaged((page) => onProgress(page, rebuilt.records))) {
    if (found.kind === "page") {
      rebuilt.pages += 1;
      const { kind: _, ...page } = found;
      onAside(page);
    } else if (found.kind === "damaged") {
      const { kind: _, ...record } = found;
      setAside(record);
    } else {
      const record = restored(found);
      if (typeof record === "string") setAside({ ...asideOf(found), why: record });
      else {
        batch.push({ found, record });
        bytes += found.encoded.length + found.snapshot.length;
      }
    }
    if (batch.length >= mostRecords || bytes >= BATCH_BYTES) await commit();
  }
  await commit();

  rebuilt.isCompared = await compare(source, target, (listed) => {
    if (damaged.has(keyOf(listed))) return;
    setAside({ ...listed, why: "the indexes list the record, but its row is not there" });
  });
  return rebuilt;
}

type ListedKey = Pick<ListedRecord, "table" | "row">;
const keyOf = ({ table, row }: ListedKey) => `${table} ${row}`;

/** The record, or why it cannot be restored. */
function restored(found: FoundRecord): PreparedRecord | string {
  const { encoded, snapshot, contentHash } = found;
  try {
    const { id, createdAt, gameMode, patchVersion } = restoreRecord(parts(found));
    const stored = { id, createdAt, gameMode, patchVersion, encoded, carried: snapshot };
    const present = presentContentHash({ ...stored, contentHash: NONE });
    // Two rows are one record if one of the checksums over both says so.
    const isOne =
      found.snapshotChecksum === undefined ||
      found.snapshotChecksum === snapshotChecksum(id, snapshot) ||
      (contentHash !== undefined && Buffer.compare(present, contentHash) === 0);
    if (!isOne) return "its players and teams are those of another record";
    return { contentHash: present, ...restore({ ...stored, contentHash: present }) };
  } catch {
    return "its content cannot be understood";
  }
}

const NONE = new Uint8Array();

const parts = ({ encoded, snapshot }: FoundRecord): StoredMatch => ({
  id: "",
  createdAt: 0,
  gameMode: "",
  patchVersion: "",
  contentHash: NONE,
  encoded,
  carried: snapshot,
});

function asideOf(found: FoundRecord, record?: PreparedRecord) {
  const { table, row, encoded, snapshot } = found;
  return {
    table,
    row,
    id: record?.outline.id,
    createdAt: record?.outline.createdAt,
    encoded,
    snapshot,
  };
}

const COMPARED = 500;

/** Calls `onMissing` with records that should be there and are not. Returns whether all could be compared. */
async function compare(
  source: DamagedStore,
  target: Writer,
  onMissing: (record: ListedRecord) => void,
): Promise<boolean> {
  const listed = source.listed();
  for (;;) {
    const step: ListedRecord[] = [];
    let next = listed.next();
    for (; !next.done; next = listed.next()) {
      step.push(next.value);
      if (step.length === COMPARED) break;
    }
    const there = await target.contentHashes(step.map(({ id }) => id));
    for (const record of step) {
      if (!there.has(record.id) && source.isConfirmed(record)) onMissing(record);
    }
    if (next.done) return next.value;
  }
}
