/**
 * Decides which replicas of a shard can be read from: whether each one replicates the primary, and
 * its lag. Lag is the time since the oldest change that the replica lacks, so a replica of an idle
 * primary has none.
 */

import { checkFormat } from "../formats.ts";
import { StoreUnavailable } from "../store.ts";
import { type Patience, type PostgresTarget, type Session, sharedSession } from "./session.ts";

/**
 * A state of the shard: its sequence number, and a token that distinguishes states with the same
 * number.
 */
interface State {
  sequence: number;
  token: string;
}

/** What a replica reports. */
export interface ReplicaState extends State {
  /** Whether the server is in recovery, i.e. replicates another one. */
  isReplica: boolean;
}

/** Why a reachable replica is not used. */
export type Exclusion =
  /** Its lag exceeds the limit. */
  | "behind"
  /**
   * It has a state that the primary never had; or the primary is unknown, and it is not a replica
   * of any server.
   */
  | "unrelated";

/** How many states of the primary are remembered, with the time they were first seen. */
const MAX_STATES = 1000;

export class Primary {
  readonly #now: () => number;
  #seen: { sequence: number; at: number }[] = [];

  constructor(
    private readonly session: Session,
    now: () => number,
  ) {
    this.#now = now;
  }

  /** Whether it has responded since the start. */
  get hasResponded(): boolean {
    return this.#seen.length > 0;
  }

  /** Whether the primary has had this state; undefined if it is unavailable. */
  async judge({ sequence, token }: State): Promise<"own" | "unknown" | undefined> {
    try {
      const [row] = await this.session.rows<{ sequence: string; isOwn: boolean }>(
        // What is older than the log can only be judged by its number.
        `SELECT sequence, (sequence = $1::bigint AND token = $2) OR EXISTS
           (SELECT 1 FROM {changes} WHERE sequence = $1::bigint AND token = $2)
           OR $1::bigint < (SELECT min(sequence) FROM {changes}) AS "isOwn"
         FROM {shard}`,
        [sequence, token],
      );
      this.#note(Number(row!.sequence));
      return row!.isOwn ? "own" : "unknown";
    } catch (error) {
      if (error instanceof StoreUnavailable) return undefined;
      throw error;
    }
  }

  /** Milliseconds since the first change that this state lacks. */
  lag(sequence: number): number {
    const lacking = this.#seen.find((one) => one.sequence > sequence);
    return lacking ? this.#now() - lacking.at : 0;
  }

  /** A lower number than the last belongs to another history, which replaces the old one. */
  #note(sequence: number): void {
    const last = this.#seen.at(-1)?.sequence ?? -1;
    if (sequence === last) return;
    if (sequence < last) this.#seen = [];
    this.#seen.push({ sequence, at: this.#now() });
    if (this.#seen.length > MAX_STATES) this.#seen.shift();
  }
}

/** Judges one replica. */
export class ReplicaHealth {
  /** Whether the primary, when it last responded, had had the replica's state. */
  #isFollower = false;

  constructor(
    private readonly session: Session,
    private readonly primary: Primary,
    private readonly maxLagMs: number,
  ) {}

  /** Throws StoreError if it does not respond, or has a format that cannot be read. */
  async state(): Promise<ReplicaState> {
    const [row] = await this.session.rows<ReplicaState & { format: number }>(
      `SELECT sequence::float8 AS sequence, token, pg_is_in_recovery() AS "isReplica",
         (SELECT version FROM {format}) AS format FROM {shard}`,
    );
    const { format, ...state } = row!;
    checkFormat(this.session.place.shown, format);
    return state;
  }

  /**
   * Why it cannot be used; undefined if it can. The replica's state is read first, so that the
   * primary cannot be behind it. `furthest` is the highest sequence number of any replica.
   */
  async exclusion(state: ReplicaState, furthest: number): Promise<Exclusion | undefined> {
    const verdict = await this.primary.judge(state);
    if (!this.primary.hasResponded) return withoutPrimary(state, furthest);
    if (verdict !== undefined) this.#isFollower = verdict === "own";
    if (!this.#isFollower) return "unrelated";
    return this.primary.lag(state.sequence) > this.maxLagMs ? "behind" : undefined;
  }

  close(): Promise<void> {
    return this.session.close();
  }
}

/**
 * Until the primary has responded once, the lag of replicas is unknown. A replica of some server
 * that no other replica is ahead of is the best choice: it would be promoted.
 */
function withoutPrimary(state: ReplicaState, furthest: number): Exclusion | undefined {
  if (!state.isReplica) return "unrelated";
  return state.sequence < furthest ? "behind" : undefined;
}

export interface Replicas {
  places: readonly PostgresTarget[];
  /** The maximum replica lag. */
  maxLagSeconds: number;
}

/** A replica was included or excluded. */
export interface ReplicaChange {
  /** Numbered from 1. */
  replica: number;
  /** Why it was excluded, for the log; undefined if it was included. */
  reason: string | undefined;
}

const IN_WORDS: Record<Exclusion, string> = {
  behind: "its replica lag is too high",
  unrelated: "it does not replicate the primary",
};

const CHECK_EVERY_MS = 1000;
const CHECK_PATIENCE: Patience = { readMs: 1000, writeMs: 1000 };

type Outcome = { state: ReplicaState } | { error: unknown };

export class ReplicaWatch {
  readonly #watching: Session;
  readonly #health: readonly ReplicaHealth[];
  readonly #onChange: (change: ReplicaChange) => void;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #isUsed: (boolean | undefined)[];
  #look: Promise<void> | undefined;

  constructor(
    target: PostgresTarget,
    { places, maxLagSeconds }: Replicas,
    onChange: (change: ReplicaChange) => void,
    now: () => number = Date.now,
  ) {
    this.#onChange = onChange;
    this.#watching = sharedSession(target, CHECK_PATIENCE);
    const primary = new Primary(this.#watching, now);
    this.#health = places.map(
      (one) => new ReplicaHealth(sharedSession(one, CHECK_PATIENCE), primary, maxLagSeconds * 1000),
    );
    this.#isUsed = places.map(() => undefined);
    this.#timer = setInterval(() => void this.check(), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  /** Which replicas are in use, in their order. */
  get inUse(): readonly boolean[] {
    return this.#isUsed.map((isUsed) => isUsed === true);
  }

  isUsed(at: number): boolean {
    return this.#isUsed[at] === true;
  }

  /** Excludes a replica that has just failed, until the next check. */
  exclude(at: number, error: StoreUnavailable): void {
    this.#set(at, error.message);
  }

  /** Checks all replicas, unless a check is running. Resolves when the result is known. */
  check(): Promise<void> {
    this.#look ??= this.#lookAtAll().finally(() => {
      this.#look = undefined;
    });
    return this.#look;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#look;
    for (const fitness of this.#health) await fitness.close();
    await this.#watching.close();
  }

  async #lookAtAll(): Promise<void> {
    const outcomes = await Promise.all(
      this.#health.map((fitness) =>
        fitness.state().then(
          (state): Outcome => ({ state }),
          (error): Outcome => ({ error }),
        ),
      ),
    );
    const numbers = outcomes.map((outcome) => ("state" in outcome ? outcome.state.sequence : -1));
    const furthest = Math.max(...numbers);
    await Promise.all(outcomes.map((outcome, at) => this.#judge(at, outcome, furthest)));
  }

  async #judge(at: number, outcome: Outcome, furthest: number): Promise<void> {
    try {
      if ("error" in outcome) throw outcome.error;
      const exclusion = await this.#health[at]!.exclusion(outcome.state, furthest);
      this.#set(at, exclusion && IN_WORDS[exclusion]);
    } catch (error) {
      this.#set(at, (error as Error).message);
    }
  }

  #set(at: number, reason: string | undefined): void {
    const isUsed = reason === undefined;
    if (this.#isUsed[at] === isUsed) return;
    this.#isUsed[at] = isUsed;
    this.#onChange({ replica: at + 1, reason });
  }
}
