/**
 * Decides which replicas of a shard may be read from: whether each follows the primary, and how long it
 * has lacked what the primary has. Time counts only while it lacks something: behind a primary that
 * nobody writes to, no replica lags.
 */

import { StoreUnavailable } from "../store.ts";
import { MIGRATIONS } from "./schema.ts";
import { type Patience, type PostgresTarget, Session } from "./session.ts";

/** A state of the shard, by its number, and the token that tells it from others of that number. */
interface State {
  seq: number;
  token: string;
}

/** What a replica says of itself. */
export interface ReplicaState extends State {
  /** The version of its tables. */
  version: number;
  /** Whether it is a server that takes over what another one writes. */
  isCopy: boolean;
}

/** Why a replica that answers is not read from. */
export type Unfit =
  /** It lacks something for longer than is allowed. */
  | "behind"
  /** It has a state that the primary never had; or nobody can tell, and it is no copy of any server. */
  | "stranger"
  /** Its tables are of another version: a migration has not come there yet. */
  | "other-version";

/** How many states of the primary are remembered, with when they were first seen. */
const MOST_SEEN = 1000;

/** What is known of the primary. */
export class Primary {
  readonly #now: () => number;
  #seen: { seq: number; at: number }[] = [];

  constructor(
    private readonly session: Session,
    now: () => number,
  ) {
    this.#now = now;
  }

  /** Whether it has answered since we began. */
  get wasHeard(): boolean {
    return this.#seen.length > 0;
  }

  /** What the primary says of a state; undefined when it is unavailable. */
  async judge({ seq, token }: State): Promise<"own" | "unknown" | undefined> {
    try {
      const [row] = await this.session.rows<{ seq: string; isOwn: boolean }>(
        `SELECT seq, (seq = $1::bigint AND token = $2) OR EXISTS
           (SELECT 1 FROM {changes} WHERE seq = $1::bigint AND token = $2) AS "isOwn"
         FROM {state}`,
        [seq, token],
      );
      this.#note(Number(row!.seq));
      return row!.isOwn ? "own" : "unknown";
    } catch (error) {
      if (error instanceof StoreUnavailable) return undefined;
      throw error;
    }
  }

  /** For how long there has been something that this state lacks, in milliseconds. */
  lag(seq: number): number {
    const lacking = this.#seen.find((one) => one.seq > seq);
    return lacking ? this.#now() - lacking.at : 0;
  }

  /** A number below the last one is of another history, which counts from here on. */
  #note(seq: number): void {
    const last = this.#seen.at(-1)?.seq ?? -1;
    if (seq === last) return;
    if (seq < last) this.#seen = [];
    this.#seen.push({ seq, at: this.#now() });
    if (this.#seen.length > MOST_SEEN) this.#seen.shift();
  }
}

/** One replica, looked at from time to time. */
export class Fitness {
  /** Whether the primary, when it was last heard, knew the replica's state as one of its own. */
  #isFollower = false;

  constructor(
    private readonly session: Session,
    private readonly primary: Primary,
    private readonly mostLagMs: number,
  ) {}

  /** Throws StoreAway when it does not answer. */
  async state(): Promise<ReplicaState> {
    const [row] = await this.session.rows<{
      seq: string;
      token: string;
      version: number;
      isCopy: boolean;
    }>(
      `SELECT seq, token, (SELECT version FROM {format}) AS version,
         pg_is_in_recovery() AS "isCopy" FROM {state}`,
    );
    if (!row) throw new StoreUnavailable(`${this.session.place.shown} has no shard in it yet`);
    return { ...row, seq: Number(row.seq) };
  }

  /**
   * Why it cannot be read from; undefined when it can. Its state was asked for first: the primary cannot
   * be behind it then. `furthest` is the highest number that any replica has.
   */
  async unfit(state: ReplicaState, furthest: number): Promise<Unfit | undefined> {
    const verdict = await this.primary.judge(state);
    if (!this.primary.wasHeard) return withoutPrimary(state, furthest);
    if (verdict !== undefined) this.#isFollower = verdict === "own";
    if (state.version < MIGRATIONS.length) return "other-version";
    if (!this.#isFollower) return "stranger";
    return this.primary.lag(state.seq) > this.mostLagMs ? "behind" : undefined;
  }

  close(): Promise<void> {
    return this.session.close();
  }
}

/**
 * While the primary has never been heard, nobody can say how old a replica is. A copy of some server
 * that no other replica is ahead of is the best there is, and what would take the primary's place.
 */
function withoutPrimary(state: ReplicaState, furthest: number): Unfit | undefined {
  if (state.version !== MIGRATIONS.length) return "other-version";
  if (!state.isCopy) return "stranger";
  return state.seq < furthest ? "behind" : undefined;
}

export interface Replicas {
  places: readonly PostgresTarget[];
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
    place: PostgresTarget,
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
  leaveOut(at: number, error: StoreUnavailable): void {
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
