/** In charge of knowing which replicas of a shard are fit to be read, and of telling when that changes. */

import type { StoreAway } from "../store.ts";
import { Fitness, Primary, type ReplicaState, type Unfit } from "./fitness.ts";
import { type Patience, type PostgresPlace, Session } from "./session.ts";

export interface Replicas {
  places: readonly PostgresPlace[];
  /** How long there may be something that a replica lacks. */
  maxLagSeconds: number;
}

/** A replica is read from now, or no longer. */
export interface ReplicaChange {
  /** From 1, in their order. */
  replica: number;
  /** Why it is not read from, in words for the operator; undefined when it is. */
  unfit: string | undefined;
}

const IN_WORDS: Record<Unfit, string> = {
  behind: "it is too far behind",
  stranger: "it is no copy of the primary",
  "other-version": "its tables are of another version: a migration has not come there yet",
};

const LOOK_EVERY_MS = 1000;
const LOOK_PATIENCE: Patience = { readMs: 1000, writeMs: 1000 };

type Outcome = { state: ReplicaState } | { error: unknown };

export class ReplicaWatch {
  readonly #watching: Session;
  readonly #fitness: readonly Fitness[];
  readonly #onChange: (change: ReplicaChange) => void;
  readonly #clock: ReturnType<typeof setInterval>;
  /** Undefined until it is known. */
  readonly #isUsed: (boolean | undefined)[];
  #look: Promise<void> | undefined;

  constructor(
    place: PostgresPlace,
    { places, maxLagSeconds }: Replicas,
    onChange: (change: ReplicaChange) => void,
    now: () => number = Date.now,
  ) {
    this.#onChange = onChange;
    this.#watching = new Session({ ...place, pool: 1 }, LOOK_PATIENCE);
    const primary = new Primary(this.#watching, now);
    this.#fitness = places.map(
      (one) =>
        new Fitness(new Session({ ...one, pool: 1 }, LOOK_PATIENCE), primary, maxLagSeconds * 1000),
    );
    this.#isUsed = places.map(() => undefined);
    this.#clock = setInterval(() => void this.look(), LOOK_EVERY_MS);
    this.#clock.unref();
  }

  /** Which of them are read from now, in their order. */
  get inUse(): readonly boolean[] {
    return this.#isUsed.map((isUsed) => isUsed === true);
  }

  isUsed(at: number): boolean {
    return this.#isUsed[at] === true;
  }

  /** It has just failed to answer a reader: until the next look at it. */
  leaveOut(at: number, error: StoreAway): void {
    this.#set(at, error.message);
  }

  /** Looks at all replicas, unless that is under way: resolves when it is known which are fit. */
  look(): Promise<void> {
    this.#look ??= this.#lookAtAll().finally(() => {
      this.#look = undefined;
    });
    return this.#look;
  }

  async close(): Promise<void> {
    clearInterval(this.#clock);
    await this.#look;
    for (const fitness of this.#fitness) await fitness.close();
    await this.#watching.close();
  }

  async #lookAtAll(): Promise<void> {
    const outcomes = await Promise.all(
      this.#fitness.map((fitness) =>
        fitness.state().then(
          (state): Outcome => ({ state }),
          (error): Outcome => ({ error }),
        ),
      ),
    );
    const numbers = outcomes.map((outcome) => ("state" in outcome ? outcome.state.seq : -1));
    const furthest = Math.max(...numbers);
    await Promise.all(outcomes.map((outcome, at) => this.#judge(at, outcome, furthest)));
  }

  async #judge(at: number, outcome: Outcome, furthest: number): Promise<void> {
    try {
      if ("error" in outcome) throw outcome.error;
      const reason = await this.#fitness[at]!.unfit(outcome.state, furthest);
      this.#set(at, reason && IN_WORDS[reason]);
    } catch (error) {
      this.#set(at, (error as Error).message);
    }
  }

  #set(at: number, unfit: string | undefined): void {
    const isUsed = unfit === undefined;
    if (this.#isUsed[at] === isUsed) return;
    this.#isUsed[at] = isUsed;
    this.#onChange({ replica: at + 1, unfit });
  }
}
