/** What `matchbook doctor` finds at the location of a shard. */

import type { Findings, Summary } from "./store.ts";

export interface ExaminedShard {
  format: number;
  summary: Summary;
  bytes: number;
  /** Of a shard that has its own. */
  walBytes?: number;
  /** Commits in its WAL that follow damage, and that nobody has noticed yet: the shard was not opened since. */
  lostCommits?: number;
  findings: Findings;
  server?: ExaminedServer;
}

/** The PostgreSQL server of a shard. */
export interface ExaminedServer {
  version: string;
  hasDataChecksums: boolean;
  /** Settings that must be on for data to survive a power failure, and are off: `fsync`, `full_page_writes`. */
  unsafeSettings: string[];
  /** Whether it replicates another server, and so cannot be written. */
  isReplica: boolean;
  replicas: ExaminedReplica[];
}

export interface ExaminedReplica {
  /** Without user and password. */
  shown: string;
  /** Why a server would not use it; undefined if it would. */
  reason: string | undefined;
}

/**
 * "missing": there is no file. "empty": there are no tables yet. "foreign": it is an SQLite file of another program.
 */
export type Examined = ExaminedShard | "missing" | "empty" | "foreign";
