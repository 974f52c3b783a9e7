/**
 * Distributes reads over the replicas of a shard. A replica that is unavailable or has too much lag
 * is excluded until it recovers; without any, the primary is read. Each replica has its own reader
 * and cache, because replicas can be in different states.
 */

import {
  type ChangeBatch,
  type LogPosition,
  type NamedTable,
  type Page,
  type Reader,
  type Selection,
  StoreUnavailable,
} from "../store.ts";

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

  forRequest(): Reader {
    this.#turn += 1;
    return new RequestReader(
      this.#primary,
      this.#replicas,
      this.#watch,
      this.#turn,
    ) as RequestReader & Pick<Reader, (typeof SIMPLE)[number]>;
  }

  async close(): Promise<void> {
    await this.#watch.close();
    for (const replica of this.#replicas) await replica.close();
    await this.#primary.close();
  }
}

/** What any replica can be asked that does not lag too far behind. */
const SIMPLE = [
  "match",
  "lineups",
  "players",
  "playersNamed",
  "recentPlayers",
  "lastCommit",
  "read",
  "sizes",
  "vocabulary",
] as const satisfies (keyof Reader)[];

/** Uses one replica until that one fails or is behind the state that the request requires. It has the SIMPLE methods too. */
class RequestReader implements Omit<Reader, (typeof SIMPLE)[number]> {
  /** The index of the replica in use. After the last one comes the primary. */
  #at: number;
  readonly #end: number;

  constructor(
    private readonly primary: PostgresReader,
    private readonly replicas: readonly PostgresReader[],
    private readonly watch: ReplicaWatch,
    first: number,
  ) {
    this.#at = first;
    this.#end = first + replicas.length;
  }

  async matches(selection: Selection): Promise<Page> {
    const { answer, sequence } = await this.ask(
      (reader) => reader.matchesAsOf(selection),
      hasReached(selection.since),
    );
    return { ...answer, sequence };
  }

  async idsNamed(table: NamedTable, names: string[], since?: number): Promise<string[]> {
    const asking = (reader: PostgresReader) => reader.idsNamedAsOf(table, names);
    return (await this.ask(asking, hasReached(since))).answer;
  }

  /** A replica that lags behind does not know the position yet. */
  changes(after: LogPosition, limit: number): Promise<ChangeBatch | undefined> {
    return this.ask(
      (reader) => reader.changes(after, limit),
      (batch) => batch !== undefined,
    );
  }

  /** Reads from the current replica, or from the next usable one whose result is recent enough. */
  async ask<T>(
    question: (reader: PostgresReader) => Promise<T>,
    willDo: (answer: T) => boolean = () => true,
  ): Promise<T> {
    for (; this.#at < this.#end; this.#at++) {
      const at = this.#at % this.replicas.length;
      if (!this.watch.isUsed(at)) continue;
      try {
        const answer = await question(this.replicas[at]!);
        if (willDo(answer)) return answer;
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        this.watch.exclude(at, error);
      }
    }
    return question(this.primary);
  }
}

type Asked = Record<(typeof SIMPLE)[number], (...values: never[]) => Promise<unknown>>;

for (const name of SIMPLE) {
  Object.defineProperty(RequestReader.prototype, name, {
    value(this: RequestReader, ...values: never[]) {
      return this.ask((reader) => (reader as unknown as Asked)[name](...values));
    },
  });
}

/** The sequence number comes from the same statement as the result. */
const hasReached =
  (since = 0) =>
  ({ sequence }: AsOf<unknown>): boolean =>
    sequence >= since;
