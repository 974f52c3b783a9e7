/**
 * Reads from the replicas of a shard, each request from another one. A replica that is unavailable or too far
 * behind is left out until it is fit again; with none left, the primary is read. Each has a reader of its
 * own, and so a memory of its own: what one of them showed is no answer of another, which may be ahead or
 * behind.
 */

import {
  type CheckFragment,
  type MatchesWithLinked,
  type NamedPlayer,
  type Page,
  type PlayerListing,
  type Reader,
  type Selection,
  StoreUnavailable,
  type Summary,
  type Vocabulary,
} from "../store.ts";
import type { NamedTable } from "./players.ts";
import { type AsOf, PostgresReader } from "./reader.ts";
import { type ReplicaChange, type Replicas, ReplicaWatch } from "./replica-health.ts";
import { type Patience, type PostgresTarget, sessionForReading } from "./session.ts";

/** So that there is time left to ask the next one. */
const REPLICA_PATIENCE: Patience = { readMs: 2000, writeMs: 2000 };

export class ReplicatedReaders {
  readonly #primary: PostgresReader;
  readonly #replicas: readonly PostgresReader[];
  readonly #watch: ReplicaWatch;
  #turn = 0;

  constructor(
    place: PostgresTarget,
    replicas: Replicas,
    cacheBytes: number,
    check: CheckFragment,
    onChange: (change: ReplicaChange) => void,
  ) {
    const { places } = replicas;
    const share = cacheBytes / (places.length + 1);
    this.#primary = new PostgresReader(sessionForReading(place), share, check);
    this.#watch = new ReplicaWatch(place, replicas, onChange);
    this.#replicas = places.map(
      (one) => new PostgresReader(sessionForReading(one, REPLICA_PATIENCE), share, check),
    );
  }

  /** Whether each replica is read from now, in their order. */
  get inUse(): readonly boolean[] {
    return this.#watch.inUse;
  }

  /** Resolves when it is known which replicas are fit. */
  look(): Promise<void> {
    return this.#watch.look();
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

/** Stays with one replica, until that one fails or is behind what the request must see. */
class RequestReader implements Reader {
  /** The replica in use, counted from the first; the primary is in use once all have been passed. */
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

  namesAround(keys: string[], before: number, after: number): Promise<string[]> {
    return this.#read((reader) => reader.namesAround(keys, before, after));
  }

  playersWithNames(names: string[], limit: number): Promise<NamedPlayer[]> {
    return this.#read((reader) => reader.playersWithNames(names, limit));
  }

  summary(): Promise<Summary> {
    return this.#read((reader) => reader.summary());
  }

  vocabulary(): Promise<Vocabulary> {
    return this.#read((reader) => reader.vocabulary());
  }

  async #idsNamed(table: NamedTable, names: string[], since?: number): Promise<string[]> {
    const asking = (reader: PostgresReader) => reader.idsNamedAsOf(table, names);
    return (await this.#read(asking, hasReached(since))).answer;
  }

  /** The answer of the replica in use, or of the first one after it that is fit and whose answer will do. */
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
        this.watch.leaveOut(at, error);
      }
    }
    return ask(this.primary);
  }
}

/** The sequence came with the answer, in the same statement: nothing can have changed in between. */
const hasReached =
  (since = 0) =>
  ({ sequence }: AsOf<unknown>): boolean =>
    sequence >= since;
