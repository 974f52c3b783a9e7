/**
 * Distributes reads over the replicas of a shard. A replica that is unavailable or has too much lag
 * is excluded until it recovers; without any, the primary is read. Each replica has its own reader
 * and cache, because replicas can be in different states.
 */

import type { Steps } from "../steps.ts";
import {
  type ChangeBatch,
  type Lineup,
  type LogPosition,
  type MatchesWithLinked,
  type NamedTable,
  type Page,
  type PlayerListing,
  type Reader,
  type Selection,
  type Sizes,
  StoreUnavailable,
  type Summary,
  type Vocabulary,
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
    return new RequestReader(this.#primary, this.#replicas, this.#watch, this.#turn);
  }

  async close(): Promise<void> {
    await this.#watch.close();
    for (const replica of this.#replicas) await replica.close();
    await this.#primary.close();
  }
}

/** Uses one replica until that one fails or is behind the state that the request requires. */
class RequestReader implements Reader {
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

  match(id: string): Promise<MatchesWithLinked | undefined> {
    return this.#read((reader) => reader.match(id));
  }

  async matches(selection: Selection): Promise<Page> {
    const { answer, sequence } = await this.#read(
      (reader) => reader.matchesAsOf(selection),
      hasReached(selection.since),
    );
    return { ...answer, sequence };
  }

  lineups(selection: Selection): Promise<{ lineups: Lineup[]; hasMore: boolean }> {
    return this.#read((reader) => reader.lineups(selection));
  }

  players(ids: string[]): Promise<PlayerListing[]> {
    return this.#read((reader) => reader.players(ids));
  }

  playersNamed(names: string[], limit: number): Promise<PlayerListing[]> {
    return this.#read((reader) => reader.playersNamed(names, limit));
  }

  recentPlayers(limit: number): Promise<PlayerListing[]> {
    return this.#read((reader) => reader.recentPlayers(limit));
  }

  playerIdsNamed(names: string[], since?: number): Promise<string[]> {
    return this.#idsNamed("players", names, since);
  }

  teamIdsNamed(names: string[], since?: number): Promise<string[]> {
    return this.#idsNamed("teams", names, since);
  }

  lastCommit(): Promise<number> {
    return this.#read((reader) => reader.lastCommit());
  }

  playersWithNames(names: string[], limit: number): Promise<PlayerListing[]> {
    return this.#read((reader) => reader.playersWithNames(names, limit));
  }

  /** A replica that lags behind does not know the position yet. */
  changes(after: LogPosition, limit: number): Promise<ChangeBatch | undefined> {
    return this.#read(
      (reader) => reader.changes(after, limit),
      (batch) => batch !== undefined,
    );
  }

  changeLog(): Promise<{ beginning: LogPosition; end: LogPosition }> {
    return this.#read((reader) => reader.changeLog());
  }

  followStart(now: number): Promise<LogPosition> {
    return this.#read((reader) => reader.followStart(now));
  }

  read<T>(steps: () => Steps<T>): Promise<T> {
    return this.#read((reader) => reader.read(steps));
  }

  summary(): Promise<Summary> {
    return this.#read((reader) => reader.summary());
  }

  sizes(): Promise<Sizes> {
    return this.#read((reader) => reader.sizes());
  }

  vocabulary(): Promise<Vocabulary> {
    return this.#read((reader) => reader.vocabulary());
  }

  unbuilt(): Promise<string[]> {
    return this.#read((reader) => reader.unbuilt());
  }

  async #idsNamed(table: NamedTable, names: string[], since?: number): Promise<string[]> {
    const asking = (reader: PostgresReader) => reader.idsNamedAsOf(table, names);
    return (await this.#read(asking, hasReached(since))).answer;
  }

  /** Reads from the current replica, or from the next usable one whose result is recent enough. */
  async #read<T>(
    ask: (reader: PostgresReader) => Promise<T>,
    willDo: (answer: T) => boolean = () => true,
  ): Promise<T> {
    for (; this.#at < this.#end; this.#at++) {
      const at = this.#at % this.replicas.length;
      if (!this.watch.isUsed(at)) continue;
      try {
        const answer = await ask(this.replicas[at]!);
        if (willDo(answer)) return answer;
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        this.watch.exclude(at, error);
      }
    }
    return ask(this.primary);
  }
}

/** The sequence number comes from the same statement as the result. */
const hasReached =
  (since = 0) =>
  ({ sequence }: AsOf<unknown>): boolean =>
    sequence >= since;
