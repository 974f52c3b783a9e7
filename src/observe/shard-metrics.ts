/** Shard metrics: availability, size and freshness. */

import { gauge, type MetricFamily, type Sample } from "./prometheus.ts";

/** The current state of a shard. The numbers are meaningless while it is unavailable. */
export interface ShardStatus {
  id: string;
  /** Whether it can be read. */
  available: boolean;
  /** Served matches, without the withheld ones. */
  matches: number;
  players: number;
  /** Milliseconds since the epoch; undefined without a match. */
  newestMatch: number | undefined;
  /** Undefined if it was not read. */
  bytes?: number;
  /** Undefined if it was not read, or if the shard does not have its own WAL. */
  walBytes?: number;
  /** What the last verify has found; undefined without one. */
  verdict?: { at: number; damaged: number } | undefined;
  /** Whether each replica is in use, in the order of the settings. */
  replicas: readonly boolean[];
}

export function shardFamilies(states: readonly ShardStatus[]): MetricFamily[] {
  const readable = states.filter(({ available }) => available);
  // A verdict may be why a shard is unavailable.
  const judged = states.filter(({ available, verdict }) => available || verdict);
  const fresh = readable.flatMap(({ id, newestMatch }) =>
    newestMatch === undefined ? [] : { id, newestMatch },
  );
  return [
    gauge(
      "matchbook_shard_up",
      "Whether the shard can be read: 1 or 0",
      states.map(({ id, available }) => sample(id, available ? 1 : 0)),
    ),
    gauge(
      "matchbook_shard_replica_in_use",
      "Whether the replica is used for reads: 1 or 0; replicas are numbered from 1, as in the settings",
      states.flatMap(replicaSamples),
    ),
    gauge(
      "matchbook_shard_matches",
      "Matches served by the shard",
      readable.map(({ id, matches }) => sample(id, matches)),
    ),
    gauge(
      "matchbook_shard_players",
      "Players served by the shard",
      readable.map(({ id, players }) => sample(id, players)),
    ),
    gauge(
      "matchbook_shard_bytes",
      "Size of the shard's store in bytes, including withheld records",
      readable.flatMap(({ id, bytes }) => (bytes === undefined ? [] : sample(id, bytes))),
    ),
    gauge(
      "matchbook_shard_wal_bytes",
      "Size of the shard's write-ahead log in bytes; SQLite only",
      readable.flatMap(({ id, walBytes }) => (walBytes === undefined ? [] : sample(id, walBytes))),
    ),
    gauge(
      "matchbook_shard_newest_match_timestamp_seconds",
      "Creation time of the newest served match, in seconds since 1970",
      fresh.map(({ id, newestMatch }) => sample(id, newestMatch / 1000)),
    ),
    gauge(
      "matchbook_shard_verified_timestamp_seconds",
      "When the last verify of the shard ended, in seconds since 1970; 0 if there was none",
      judged.map(({ id, verdict }) => sample(id, (verdict?.at ?? 0) / 1000)),
    ),
    gauge(
      "matchbook_shard_damaged_records",
      "Damaged records that the last verify of the shard has found; if there are any, the shard is unavailable",
      judged.map(({ id, verdict }) => sample(id, verdict?.damaged ?? 0)),
    ),
  ];
}

const sample = (shard: string, value: number): Sample => ({ value, labels: { shard } });

const replicaSamples = ({ id, replicas }: ShardStatus): Sample[] =>
  replicas.map((isUsed, at) => ({
    value: isUsed ? 1 : 0,
    labels: { shard: id, replica: String(at + 1) },
  }));
