/**
 * Distributes reads over the replicas of a shard. A replica that is unavailable or has too much lag
 * is excluded until it recovers; without any, the primary is read. Each replica has its own reader
 * and cache, because replicas can be in different states.
 */

import { type Reader, StoreUnavailable } from "../store.ts";
import { type AsOf, PostgresReader } from "./reader.ts";
import { type ReplicaChange, type Replicas, ReplicaWatch } from "./replica-health.ts";
import { type Patience, type PostgresTarget, sessionForReading } from "./session.ts";

/** Short, to leave time for the next replica. */
const REPLICA_PATIENCE: Patience = { readMs: 2000, writeMs: 2000 };

export class ReplicatedReaders {
  readonly #primary: PostgresReader;
  readonly #replicas: readonly PostgresReader[];
  readonly #watch: ReplicaWatch;
  #turn = 0;

  constructor(
    target: PostgresTarget,
    replicas: Replicas,
    cacheBytes: number,
    onChange: (change: ReplicaChange) => void,
  ) {
    const { places } = replicas;
    const share = cacheBytes / (places.length + 1);
    this.#primary = new PostgresReader(sessionForReading(target), share);
    this.#watch = new ReplicaWatch(target, replicas, onChange);
    this.#replicas = places.map(
      (one) => new PostgresReader(sessionForReading(one, REPLICA_PATIENCE), share),
    );
  }

  /** Which replicas are in use, in their order. */
  get inUse(): readonly boolean[] {
    return this.#watch.inUse;
  }

  /** Resolves when it is known which replicas can be used. */
  check(): Promise<void> {
    return this.#watch.check();
  }

  /** Uses one replica until that one fails or is behind the state that the request requires. */
  forRequest(): Reader {
    this.#turn += 1;
    const ask = this.#askFrom(this.#turn);
    return {
      match: (id) => ask((reader) => reader.match(id)),
      async matches(selection) {
        const asking = (reader: PostgresReader) => reader.matchesAsOf(selection);
        const { answer, sequence } = await ask(asking, hasReached(selection.since));
        return { ...answer, sequence };
      },
      lineups: (selection) => ask((reader) => reader.lineups(selection)),
      players: (ids) => ask((reader) => reader.players(ids)),
      playersNamed: (...values) => ask((reader) => reader.playersNamed(...values)),
      recentPlayers: (limit) => ask((reader) => reader.recentPlayers(limit)),
      async idsNamed(table, names, since) {
        const asking = (reader: PostgresReader) => reader.idsNamedAsOf(table, names);
        return (await ask(asking, hasReached(since))).answer;
      },
      lastCommit: () => ask((reader) => reader.lastCommit()),
      // A replica that lags behind does not know the position yet.
      changes: (after, limit) =>
        ask(
          (reader) => reader.changes(after, limit),
          (batch) => batch !== undefined,
        ),
      sizes: () => ask((reader) => reader.sizes()),
      vocabulary: () => ask((reader) => reader.vocabulary()),
      read: (steps) => ask((reader) => reader.read(steps)),
    };
  }

  async close(): Promise<void> {
    await this.#watch.close();
    for (const replica of this.#replicas) await replica.close();
    await this.#primary.close();
  }

  /** Reads from the current replica, or from the next usable one whose result is recent enough. After the last one comes the primary. */
  #askFrom(first: number) {
    const count = this.#replicas.length;
    let current = first;
    return async <T>(
      question: (reader: PostgresReader) => Promise<T>,
      willDo: (answer: T) => boolean = () => true,
    ): Promise<T> => {
      for (; current < first + count; current++) {
        const at = current % count;
        if (!this.#watch.isUsed(at)) continue;
        try {
          const answer = await question(this.#replicas[at]!);
          if (willDo(answer)) return answer;
        } catch (error) {
          if (!(error instanceof StoreUnavailable)) throw error;
          this.#watch.exclude(at, error);
        }
      }
      return question(this.#primary);
    };
  }
}

/** The sequence number comes from the same statement as the result. */
const hasReached =
  (since = 0) =>
  ({ sequence }: AsOf<unknown>): boolean =>
    sequence >= since;
