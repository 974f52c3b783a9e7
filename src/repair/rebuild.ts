/**
 * Rebuilds a shard from what is left of its records. Everything else follows from them by the same rules as at ingest:
 * what is served, players, teams, indexes, totals.
 */

import { restoreRecord } from "../document/record.ts";
import { keyOf, references } from "../domain/json.ts";
import type { MatchRecord } from "../domain/match.ts";
import { formatTimestamp } from "../domain/time.ts";
import { commitBatch } from "../ingest/commit-batch.ts";
import { addPrunedTotals } from "../ingest/count-actors.ts";
import { contentHashOf, type PreparedRecord, restore } from "../ingest/prepare.ts";
import { addBases } from "../ingest/update-players.ts";
import { snapshotChecksum } from "../store/row-checks.ts";
import type { DamagedState, DamagedStore, FoundRecord, ListedRecord } from "../store/salvage.ts";
import type { Redaction, StoredMatch, Writer } from "../store/store.ts";
import type { MovedAside } from "./moved-aside.ts";

export interface RebuildOptions {
  /** Records of other shards are set aside. */
  shard: string;
  /** The maximum number of records per transaction. */
  batch: number;
  /** Redactions that are known from elsewhere: the list of the shard may be damaged. */
  redactions: Redaction[];
  /** Called for what cannot be restored. */
  onAside(aside: MovedAside): void;
  /** Pages of the damaged shard, and records so far. */
  onProgress(page: number, records: number): void;
}

export interface Rebuilt {
  /** Records in the new store, served or withheld. */
  records: number;
  /** Records that are there but damaged, or that the indexes list and that were not found. */
  lost: number;
  /** Records of other shards, e.g. because the file of one of them was put in the place of this shard. */
  foreign: number;
  /** Records that differ from another one with the same id, which was kept. */
  conflicts: number;
  /** Redactions that are damaged, and not known from elsewhere. */
  lostRedactions: number;
  /** Pages that cannot be read and may have had records. */
  pages: number;
  /** Whether the indexes could be read, so that records on those pages are counted as lost. */
  isCompared: boolean;
  /** The prune cutoff of the new store; null if it has none. */
  prunedBefore: string | null;
  /** Whether that of the shard could not be read although it was pruned: the new one may be earlier. */
  isCutoffLost: boolean;
}

/** As stored. Parsed, they take about ten times as much. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** Writes all records that can be restored to an empty store. */
export async function rebuild(
  source: DamagedStore,
  target: Writer,
  { shard, batch: mostRecords, redactions, onAside, onProgress }: RebuildOptions,
): Promise<Rebuilt> {
  const rebuilt: Rebuilt = {
    records: 0,
    lost: 0,
    foreign: 0,
    conflicts: 0,
    lostRedactions: 0,
    pages: 0,
    isCompared: false,
    prunedBefore: null,
    isCutoffLost: false,
  };
  const seen = { matches: new RowSet(), withheld: new RowSet() };
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
  const setAside = (aside: MovedAside) => {
    rebuilt.lost += 1;
    onAside(aside);
  };

  // First: they are applied to every record that is added.
  const known = new Set(redactions.map(({ playerId }) => playerId));
  await addAll(
    source.redactions(),
    (damaged) => {
      if (damaged.id !== undefined && known.has(damaged.id)) return;
      rebuilt.lostRedactions += 1;
      onAside({ table: "redactions", ...damaged });
    },
    (some) => target.write(async (transaction) => transaction.addRedactions(some)),
  );
  await target.write(async (transaction) => transaction.addRedactions(redactions));
  const pruned = await addPruned(source, target, setAside);
  for await (const found of source.salvaged((page) => onProgress(page, rebuilt.records))) {
    if (found.kind !== "page" && found.row !== undefined) seen[found.table].add(found.row);
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
      else if (record.outline.shard !== shard) {
        rebuilt.foreign += 1;
        onAside({
          ...asideOf(found, record),
          why: `it is a record of shard ${record.outline.shard}`,
        });
      } else {
        batch.push({ found, record });
        bytes += found.encoded.length + found.snapshot.length;
      }
    }
    if (batch.length >= mostRecords || bytes >= BATCH_BYTES) await commit();
  }
  await commit();

  rebuilt.isCompared = await compare(source, target, (listed) => {
    // With the row, only the index entry is damaged.
    if (listed.row !== undefined && seen[listed.table].has(listed.row)) return;
    setAside({ ...listed, why: "the indexes list the record, but its row is not there" });
  });
  const stored = await source.prunedBefore();
  rebuilt.isCutoffLost = stored === undefined && pruned.isAny;
  // The cutoff was later than every match that was pruned.
  const { newest } = pruned;
  const isKnown = rebuilt.isCutoffLost && newest !== undefined;
  const cutoff = stored ?? (isKnown ? newest + 1 : undefined);
  if (cutoff !== undefined) {
    // Last: some records may be older, if a prune was interrupted.
    await target.write(async (transaction) => transaction.setPrunedBefore(cutoff));
    rebuilt.prunedBefore = formatTimestamp(cutoff);
  }
  return rebuilt;
}

/** What pruned records left behind comes before all records. */
async function addPruned(
  source: DamagedStore,
  target: Writer,
  setAside: (aside: MovedAside) => void,
): Promise<{ isAny: boolean; newest: number | undefined }> {
  const pruned = { isAny: false, newest: undefined as number | undefined };
  const damagedIn = (table: string) => (damaged: DamagedState) => {
    pruned.isAny = true;
    setAside({ table, ...damaged });
  };
  await addAll(source.bases(), damagedIn("player_base"), async (bases) => {
    for (const { standing } of bases) {
      pruned.isAny = true;
      const { createdAt } = standing?.latest ?? {};
      if (createdAt !== undefined) pruned.newest = Math.max(createdAt, pruned.newest ?? createdAt);
    }
    await target.write((transaction) => addBases(transaction, bases));
  });
  await addAll(source.prunedActors(), damagedIn("actor_stats"), async (totals) => {
    pruned.isAny ||= totals.length > 0;
    await target.write((transaction) => addPrunedTotals(transaction, totals));
  });
  return pruned;
}

const AT_A_TIME = 500;

async function addAll<T extends object>(
  found: Iterable<T | DamagedState> | AsyncIterable<T | DamagedState>,
  onDamage: (damaged: DamagedState) => void,
  add: (some: T[]) => Promise<void>,
): Promise<void> {
  let some: T[] = [];
  for await (const one of found) {
    if ("why" in one) onDamage(one as DamagedState);
    else some.push(one as T);
    if (some.length < AT_A_TIME) continue;
    await add(some);
    some = [];
  }
  await add(some);
}

/** The record, or why it cannot be restored. */
function restored(found: FoundRecord): PreparedRecord | string {
  try {
    const bare = withoutFacts(found);
    const contentHash = contentHashOf(bare);
    const { outline, encoded } = restore(bare);
    if (!isOneRecord(found, outline.id, contentHash)) {
      return "its players and teams may be those of another record";
    }
    const { id, createdAt, gameMode, patchVersion } = outline;
    const stored = { ...bare, id, createdAt, gameMode, patchVersion, contentHash };
    return { outline, contentHash, encoded: { ...encoded, stored } };
  } catch {
    return "its content cannot be understood";
  }
}

/** What the columns of its row say may be damaged; the record itself says the same. */
const withoutFacts = ({ encoded, snapshot }: FoundRecord): StoredMatch => ({
  id: "",
  createdAt: 0,
  gameMode: "",
  patchVersion: "",
  contentHash: new Uint8Array(),
  encoded,
  carried: snapshot,
});

/** Whether the rows of a match and its snapshot belong together. One of the checksums over both is enough. */
function isOneRecord(found: FoundRecord, id: string, contentHash: Uint8Array): boolean {
  const { snapshotChecksum: stored, snapshot } = found;
  if (stored === undefined || stored === snapshotChecksum(id, snapshot)) return true;
  if (found.contentHash && Buffer.compare(found.contentHash, contentHash) === 0) return true;
  // Older formats had no such checksum, and hashed teams with their attributes.
  return stored === null && hasAllNamed(restoreRecord(withoutFacts(found)));
}

function hasAllNamed({ match, own, players, teams }: MatchRecord): boolean {
  const there = new Set([...players, ...teams].map(({ carried }) => keyOf(carried)));
  return [match, ...own]
    .flatMap(({ relationships = {} }) => Object.values(relationships).flatMap(references))
    .filter(({ type }) => type === "player" || type === "team")
    .every((reference) => there.has(keyOf(reference)));
}

function asideOf(found: FoundRecord, record?: PreparedRecord) {
  const { table, row, encoded, snapshot } = found;
  return {
    table,
    ...(row !== undefined && { row }),
    id: record?.outline.id,
    createdAt: record?.outline.createdAt,
    encoded,
    snapshot,
  };
}

/** Numbers of rows, one bit each. Damaged ones can be very large. */
class RowSet {
  readonly #parts = new Map<number, Uint8Array>();

  add(row: number): void {
    const part = Math.floor(row / PART_ROWS);
    const bits = this.#parts.get(part) ?? new Uint8Array(PART_ROWS / 8);
    bits[(row % PART_ROWS) >> 3]! |= 1 << (row % 8);
    this.#parts.set(part, bits);
  }

  has(row: number): boolean {
    const bits = this.#parts.get(Math.floor(row / PART_ROWS));
    return bits !== undefined && (bits[(row % PART_ROWS) >> 3]! & (1 << (row % 8))) !== 0;
  }
}

const PART_ROWS = 65_536;

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
    let next = await listed.next();
    for (; !next.done; next = await listed.next()) {
      step.push(next.value);
      if (step.length === COMPARED) break;
    }
    const there = await target.contentHashes(step.map(({ id }) => id));
    for (const record of step) {
      if (!there.has(record.id)) onMissing(record);
    }
    if (next.done) return next.value;
  }
}
