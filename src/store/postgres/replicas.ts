/**
 * In charge of reading from replicas in turn. One that is away or too far behind is left out until it
 * is fit again; with none left, the primary is read. Each has a reader of its own, and so a memory of
 * its own: what one of them showed is no answer of another, which may be ahead or behind.
 */

import {
  type Bundle,
  type CheckFragment,
  type NameBearer,
  type Page,
  type PlayerListing,
  type Reader,
  type Selection,
  StoreAway,
  type Summary,
  type Vocabulary,
} from "../store.ts";
import { PostgresReader } from "./reader.ts";
import { type Patience, type PostgresPlace, sessionForReading } from "./session.ts";
import { type ReplicaChange, type Replicas, ReplicaWatch } from "./watch.ts";

/** So that there is time left to ask the next one. */
const REPLICA_PATIENCE: Patience = { readMs: 2000, writeMs: 2000 };

export class ReplicatedReader implements Reader {
  readonly #primary: PostgresReader;
  readonly #replicas: readonly PostgresReader[];
  readonly #watch: ReplicaWatch;
  #turn = 0;

  constructor(
    place: PostgresPlace,
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

  match(id: string): Promise<Bundle | undefined> {
    return this.#read((reader) => reader.match(id));
  }

  matches(selection: Selection): Promise<Page> {
    return this.#read((reader) => reader.matches(selection));
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

  playerIdsNamed(names: string[]): Promise<string[]> {
    return this.#read((reader) => reader.playerIdsNamed(names));
  }

  teamIdsNamed(names: string[]): Promise<string[]> {
    return this.#read((reader) => reader.teamIdsNamed(names));
  }

  namesAround(spots: string[], before: number, after: number): Promise<string[]> {
    return this.#read((reader) => reader.namesAround(spots, before, after));
  }

  bearersOf(names: string[], limit: number): Promise<NameBearer[]> {
    return this.#read((reader) => reader.bearersOf(names, limit));
  }

  summary(): Promise<Summary> {
    return this.#read((reader) => reader.summary());
  }

  vocabulary(): Promise<Vocabulary> {
    return this.#read((reader) => reader.vocabulary());
  }

  async close(): Promise<void> {
    await this.#watch.close();
    for (const replica of this.#replicas) await replica.close();
    await this.#primary.close();
  }

  async #read<T>(ask: (reader: PostgresReader) => Promise<T>): Promise<T> {
    this.#turn += 1;
    const { length } = this.#replicas;
    for (let step = 0; step < length; step++) {
      const at = (this.#turn + step) % length;
      if (!this.#watch.isUsed(at)) continue;
      try {
        return await ask(this.#replicas[at]!);
      } catch (error) {
        if (!(error instanceof StoreAway)) throw error;
        this.#watch.leaveOut(at, error);
      }
    }
    return ask(this.#primary);
  }
}
