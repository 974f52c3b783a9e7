/** The metrics of shards: whether each can be read, what it serves, how fresh it is. */

import { gauge, type MetricFamily, type Sample } from "./prometheus.ts";

/** A shard as it is now. The numbers of one that is not available mean nothing. */
export interface ShardStatus {
  id: string;
  /** Whether it can be read. */
  available: boolean;
  /** Those that are served. */
  matches: number;
  players: number;
  /** Milliseconds since the epoch; undefined when no match is served. */
  newestMatch: number | undefined;
  bytes: number;
  /** Whether each replica is read from, in their order; empty where there are none. */
  replicas: readonly boolean[];
}

export function shardFamilies(states: readonly ShardStatus[], now: number): MetricFamily[] {
  const readable = states.filter(({ available }) => available);
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
      "Whether the replica is read from: 1 or 0; replicas are numbered from 1, as in the settings",
      states.flatMap(replicaSamples),
    ),
    gauge(
      "matchbook_shard_matches",
      "Matches that the shard serves",
      readable.map(({ id, matches }) => sample(id, matches)),
    ),
    gauge(
      "matchbook_shard_players",
      "Players that the shard serves",
      readable.map(({ id, players }) => sample(id, players)),
    ),
    gauge(
      "matchbook_shard_bytes",
      "Size of the shard's store, withheld records included",
      readable.map(({ id, bytes }) => sample(id, bytes)),
    ),
    gauge(
      "matchbook_shard_newest_match_timestamp_seconds",
      "When the newest served match was created, in seconds since 1970",
      fresh.map(({ id, newestMatch }) => sample(id, newestMatch / 1000)),
    ),
    gauge(
      "matchbook_shard_lag_seconds",
      "How long ago the newest served match was created",
      fresh.map(({ id, newestMatch }) => sample(id, Math.max(0, (now - newestMatch) / 1000))),
    ),
  ];
}

const sample = (shard: string, value: number): Sample => ({ value, labels: { shard } });

const replicaSamples = ({ id, replicas }: ShardStatus): Sample[] =>
  replicas.map((isUsed, at) => ({
    value: isUsed ? 1 : 0,
    labels: { shard: id, replica: String(at + 1) },
  }));
