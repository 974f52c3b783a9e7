/**
 * In charge of reading from replicas in turn. One that is away or too far behind is left out until it
 * is fit again; with none left, the primary is read. Each has a reader of its own, and so a memory of
 * its own: what one of them showed is no answer of another, which may be ahead or behind.
 */

import {
  type Bundle,
  type CheckFragment,
  type Page,
  type PlayerListing,
  type Reader,
  type Selection,
  StoreAway,
  type Summary,
  type Vocabulary,
} from "../store.ts";
import { Fitness, Primary } from "./fitness.ts";
import { PostgresReader } from "./reader.ts";
import { type Patience, type PostgresPlace, Session, sessionForReading } from "./session.ts";

export interface Replicas {
  places: readonly PostgresPlace[];
  /** How long there may be something that a replica lacks. */
  maxLagSeconds: number;
}

const LOOK_EVERY_MS = 1000;
/** So that there is time left to ask the next one. */
const REPLICA_PATIENCE: Patience = { readMs: 2000, writeMs: 2000 };
const LOOK_PATIENCE: Patience = { readMs: 1000, writeMs: 1000 };

interface Replica {
  reader: PostgresReader;
  fitness: Fitness;
  isFit: boolean;
}

export class ReplicatedReader implements Reader {
  readonly #primary: PostgresReader;
  readonly #replicas: Replica[];
  readonly #watching: Session;
  readonly #clock: ReturnType<typeof setInterval>;
  #turn = 0;
  #look: Promise<void> | undefined;

  constructor(
    place: PostgresPlace,
    { places, maxLagSeconds }: Replicas,
    cacheBytes: number,
    check: CheckFragment,
    now: () => number = Date.now,
  ) {
    const share = cacheBytes / (places.length + 1);
    this.#primary = new PostgresReader(sessionForReading(place), share, check);
    this.#watching = new Session({ ...place, pool: 1 }, LOOK_PATIENCE);
    const primary = new Primary(this.#watching, now);
    this.#replicas = places.map((one) => ({
      reader: new PostgresReader(sessionForReading(one, REPLICA_PATIENCE), share, check),
      fitness: new Fitness(
        new Session({ ...one, pool: 1 }, LOOK_PATIENCE),
        primary,
        maxLagSeconds * 1000,
      ),
      isFit: false,
    }));
    this.#clock = setInterval(() => this.look(), LOOK_EVERY_MS);
    this.#clock.unref();
  }

  /** Looks at all replicas, unless that is under way: resolves when it is known which are fit. */
  look(): Promise<void> {
    this.#look ??= Promise.all(
      this.#replicas.map(async (replica) => {
        replica.isFit = await replica.fitness.isFit().catch(() => false);
      }),
    ).then(() => {
      this.#look = undefined;
    });
    return this.#look;
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

  playersNamed(name: string, limit: number): Promise<PlayerListing[]> {
    return this.#read((reader) => reader.playersNamed(name, limit));
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

  summary(): Promise<Summary> {
    return this.#read((reader) => reader.summary());
  }

  vocabulary(): Promise<Vocabulary> {
    return this.#read((reader) => reader.vocabulary());
  }

  async close(): Promise<void> {
    clearInterval(this.#clock);
    await this.#look;
    for (const { reader, fitness } of this.#replicas) {
      await reader.close();
      await fitness.close();
    }
    await this.#primary.close();
    await this.#watching.close();
  }

  async #read<T>(ask: (reader: PostgresReader) => Promise<T>): Promise<T> {
    this.#turn += 1;
    const { length } = this.#replicas;
    for (let at = 0; at < length; at++) {
      const replica = this.#replicas[(this.#turn + at) % length]!;
      if (!replica.isFit) continue;
      try {
        return await ask(replica.reader);
      } catch (error) {
        if (!(error instanceof StoreAway)) throw error;
        // Until the next look at it.
        replica.isFit = false;
      }
    }
    return ask(this.#primary);
  }
}
