/** What can be read of a damaged shard, whatever the state of its indexes and totals. */

import type { ActorTotals } from "../domain/actors.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import { viewOf } from "./byte-range.ts";
import { totalsOf } from "./core/actors.ts";
import { isWholeFragment, isWholeMatch } from "./row-checks.ts";
import { unpackServed } from "./row-encoding.ts";
import type { OnProgress, PlayerBase, Redaction, Writer } from "./store.ts";
import { isWhole } from "./table.ts";
import { ACTOR_STATS, type ActorRow, REDACTIONS, type RedactionRow } from "./tables.ts";

export type RecordTable = "matches" | "withheld";

/** A record of which both parts have the checksums that they contain. Everything else may be wrong. */
export interface FoundRecord {
  kind: "record";
  table: RecordTable;
  /** The number of its row, if rows have numbers. */
  row?: number;
  contentHash: Uint8Array | undefined;
  /** The encoded match. */
  encoded: Uint8Array;
  /** The players and teams as they were in the record. */
  snapshot: Uint8Array;
  /** The checksum of the snapshot with the id of its match; undefined where both are in one row. */
  snapshotChecksum: number | null | undefined;
}

/** A record of which a part is damaged or missing. */
export interface DamagedRecord {
  kind: "damaged";
  table: RecordTable;
  row?: number;
  /** As far as they are known; they may be damaged too. */
  id: string | undefined;
  createdAt: number | undefined;
  why: string;
  encoded: Uint8Array | undefined;
  snapshot: Uint8Array | undefined;
}

/** A page that may have had records, but cannot be read, or not all of it. */
export interface DamagedPage {
  kind: "page";
  page: number;
  /** The table that it belongs to, if that is known. */
  table: string | undefined;
  why: string;
  /** Undefined if the page is missing, or if the database does not return it. */
  bytes: Uint8Array | undefined;
}

export type Salvaged = FoundRecord | DamagedRecord | DamagedPage;

/** What a shard has besides its records, and cannot be restored: a redaction, or what pruned records left behind. */
export interface DamagedState {
  row?: number;
  id: string | undefined;
  why: string;
}

/** A record that the indexes list. */
export interface ListedRecord {
  table: RecordTable;
  row?: number;
  id: string;
  /** Withheld records are not listed by their time. */
  createdAt: number | undefined;
}

export interface DamagedStore {
  /** For progress: `salvaged` reads them in order. */
  readonly pages: number;
  redactions(): Iterable<Redaction | DamagedState> | AsyncIterable<Redaction | DamagedState>;
  /** The cutoff of `matchbook prune`; null if the shard was never pruned, undefined if it cannot be read. */
  prunedBefore(): Awaitable<number | null | undefined>;
  /** What pruned records left behind. */
  bases(): Iterable<PlayerBase | DamagedState> | AsyncIterable<PlayerBase | DamagedState>;
  /** What they left behind of each actor. */
  prunedActors(): Iterable<ActorTotals | DamagedState> | AsyncIterable<ActorTotals | DamagedState>;
  /** Everything that is left of the records. `onPage` is called for each page. */
  salvaged(onPage: (page: number) => void): Iterable<Salvaged> | AsyncIterable<Salvaged>;
  /**
   * The records that the indexes list, for comparison: one whose id and row were both not found is lost. At the end it
   * returns whether all of them could be read.
   */
  listed(): Generator<ListedRecord, boolean> | AsyncGenerator<ListedRecord, boolean>;
}

/** A damaged shard, the new one that is built beside it, and the swap of both. Writers wait until `close`. */
export interface ShardRepair {
  readonly source: DamagedStore;
  /** What the new shard is called until it is swapped in. */
  readonly newName: string;
  /** Whether the latest changes could not be read completely; undefined if they are not stored separately. */
  readonly isWalCut?: boolean;
  /** The writer of the new, empty shard. One that an interrupted run has left is built again. */
  open(): Awaitable<Writer>;
  /** Completes and checks the new shard. Throws StoreError if it is damaged. */
  complete(onProgress: OnProgress): Awaitable<void>;
  /** A name for the damaged shard, with this time stamp. */
  keptName(stamp: string): Awaitable<string>;
  /** Replaces the damaged shard, which is kept under that name. */
  swap(kept: string): Awaitable<void>;
  /** Lets writers continue. Removes the new shard, unless it was swapped in. */
  close(): Awaitable<void>;
}

/** What is stored of a record; every part may be damaged. */
export interface RecordParts {
  id: unknown;
  createdAt: unknown;
  contentHash: Uint8Array | undefined;
  document: Uint8Array;
  snapshot: Uint8Array | undefined;
  snapshotChecksum: number | null | undefined;
}

/** The record, if both of its parts have the checksums that they contain. */
export function recordFrom(
  found: Pick<DamagedRecord, "table" | "row">,
  { id, createdAt, contentHash, document, snapshot, snapshotChecksum }: RecordParts,
): FoundRecord | DamagedRecord {
  const encoded = found.table === "matches" ? encodedIn(document) : wholeMatch(document);
  if (!encoded || !snapshot || !isWholeFragment(snapshot)) {
    const state = snapshot ? "damaged" : "missing";
    return {
      kind: "damaged",
      ...found,
      id: typeof id === "string" ? id : undefined,
      createdAt: typeof createdAt === "number" ? createdAt : undefined,
      why: encoded ? `the players and teams of the record are ${state}` : "the match is damaged",
      encoded: encoded ?? document,
      snapshot,
    };
  }
  return { kind: "record", ...found, contentHash, encoded, snapshot, snapshotChecksum };
}

/** A row of `redactions`, if it is whole. */
export function salvagedRedaction(row: RedactionRow): Redaction | DamagedState {
  return isWhole(REDACTIONS, row)
    ? { playerId: row.player_id, redactedAt: row.redacted_at }
    : { id: row.player_id, why: "the redaction of a player is damaged" };
}

/** A row of `actor_stats`, if it is whole. */
export function salvagedActor(row: ActorRow, num?: number): ActorTotals | DamagedState {
  if (isWhole(ACTOR_STATS, row)) return totalsOf(row);
  const why = "what pruned matches add to the statistics of an actor may be damaged";
  return { ...(num !== undefined && { row: num }), id: ACTOR_STATS.label(row), why };
}

const wholeMatch = (bytes: Uint8Array): Uint8Array | undefined =>
  isWholeMatch(bytes) ? bytes : undefined;

/** Before the match are the numbers of its players and teams: their counts (4 bytes), and 4 bytes each. */
const NUMBER = 4;
const MOST_NUMBERS = 4096;

/** The encoded match in a document. If the counts are damaged, it is searched by its checksum. */
function encodedIn(document: Uint8Array): Uint8Array | undefined {
  if (document.length < NUMBER) return undefined;
  const expected = wholeMatch(viewOf(unpackServed(document, [], [])));
  const end = Math.min(document.length, NUMBER * (MOST_NUMBERS + 1));
  let found = expected;
  for (let at = NUMBER; at < end && !found; at += NUMBER) found = wholeMatch(document.subarray(at));
  return found;
}
