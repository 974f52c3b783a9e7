/** What can be read of a damaged shard, whatever the state of its indexes and totals. */

import type { PlayerBase, Redaction } from "./store.ts";

export type RecordTable = "matches" | "withheld";

/** A record of which both parts have the checksums that they contain. Everything else may be wrong. */
export interface FoundRecord {
  kind: "record";
  table: RecordTable;
  /** The number of its row. */
  row: number;
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
  row: number;
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
  /** Undefined if the page is missing. */
  bytes: Uint8Array | undefined;
}

export type Salvaged = FoundRecord | DamagedRecord | DamagedPage;

/** What pruned records left behind of a player, and cannot be restored. */
export interface DamagedBase {
  row: number;
  id: string | undefined;
  why: string;
}

/** A record that the indexes list. */
export interface ListedRecord {
  table: RecordTable;
  row: number;
  id: string;
  /** Withheld records are not listed by their time. */
  createdAt: number | undefined;
}

export interface DamagedStore {
  /** For progress: `salvaged` reads them in order. */
  readonly pages: number;
  /** The cutoff of `matchbook prune`, if there is one that can be read. */
  readonly prunedBefore: number | null;
  /** The redacted players, if the list can be read. */
  redactions(): Redaction[];
  /** What pruned records left behind. */
  bases(): Generator<PlayerBase | DamagedBase>;
  /** Everything that is left of the records. `onPage` is called for each page. */
  salvaged(onPage: (page: number) => void): Generator<Salvaged>;
  /**
   * The records that the indexes list, for comparison: one whose id and row were both not found is lost. At the end it
   * returns whether all of them could be read.
   */
  listed(): Generator<ListedRecord, boolean>;
}
