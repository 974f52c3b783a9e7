/**
 * Decides which replicas of a shard can be read from: whether each one replicates the primary, and
 * its lag. Lag is the time since the oldest change that the replica lacks, so a replica of an idle
 * primary has none.
 */

import { checkFormat } from "../formats.ts";
import { StoreUnavailable } from "../store.ts";
import { type Patience, type PostgresTarget, type Session, sharedSession } from "./session.ts";

/** What a replica reports: a state of the shard. The token distinguishes states with the same number. */
interface ReplicaState {
  sequence: number;
  token: string;
  /** Whether the server is in recovery, i.e. replicates another one. */
  isReplica: boolean;
}

/** Why a reachable replica is not used: its lag exceeds the limit. */
const BEHIND = "its replica lag is too high";
/** It has a state that the primary never had; or the primary is unknown, and it is not a replica of any server. */
const UNRELATED = "it does not replicate the primary";

/** How many states of the primary are remembered, with the time they were first seen. */
const MAX_STATES = 1000;

export class Primary {
  #seen: { sequence: number; at: number }[] = [];

  constructor(
    private readonly session: Session,
    private readonly now: () => number,
  ) {}

  /** Whether it has responded since the start. */
  get hasResponded(): boolean {
    return this.#seen.length > 0;
  }

  /** Whether the primary has had this state; undefined if it is unavailable. */
  async hasHad({ sequence, token }: ReplicaState): Promise<boolean | undefined> {
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
      return row!.isOwn;
    } catch (error) {
      if (error instanceof StoreUnavailable) return undefined;
      throw error;
    }
  }

  /** Milliseconds since the first change that this state lacks. */
  lag(sequence: number): number {
    const lacking = this.#seen.find((one) => one.sequence > sequence);
    return lacking ? this.now() - lacking.at : 0;
  }

  /** A lower number than the last belongs to another history, which replaces the old one. */
  #note(sequence: number): void {
    const last = this.#seen.at(-1)?.sequence ?? -1;
    if (sequence === last) return;
    if (sequence < last) this.#seen = [];
    this.#seen.push({ sequence, at: this.now() });
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
  async exclusion(state: ReplicaState, furthest: number): Promise<string | undefined> {
    const isOwn = await this.primary.hasHad(state);
    if (!this.primary.hasResponded) return withoutPrimary(state, furthest);
    if (isOwn !== undefined) this.#isFollower = isOwn;
    if (!this.#isFollower) return UNRELATED;
    return this.primary.lag(state.sequence) > this.maxLagMs ? BEHIND : undefined;
  }

  close(): Promise<void> {
    return this.session.close();
  }
}

/**
 * Until the primary has responded once, the lag of replicas is unknown. A replica of some server
 * that no other replica is ahead of is the best choice: it would be promoted.
 */
function withoutPrimary(state: ReplicaState, furthest: number): string | undefined {
  if (!state.isReplica) return UNRELATED;
  return state.sequence < furthest ? BEHIND : undefined;
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

const CHECK_EVERY_MS = 1000;
const CHECK_PATIENCE: Patience = { readMs: 1000, writeMs: 1000 };

export class ReplicaWatch {
  readonly #watching: Session;
  readonly #health: readonly ReplicaHealth[];
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #isUsed: (boolean | undefined)[];
  #look: Promise<void> | undefined;

  constructor(
    target: PostgresTarget,
    { places, maxLagSeconds }: Replicas,
    private readonly onChange: (change: ReplicaChange) => void,
  ) {
    this.#watching = sharedSession(target, CHECK_PATIENCE);
    const primary = new Primary(this.#watching, Date.now);
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
    const states = await Promise.allSettled(this.#health.map((one) => one.state()));
    const numbers = states.map((one) => (one.status === "fulfilled" ? one.value.sequence : -1));
    const furthest = Math.max(...numbers);
    await Promise.all(
      states.map(async (one, at) => {
        try {
          if (one.status === "rejected") throw one.reason;
          this.#set(at, await this.#health[at]!.exclusion(one.value, furthest));
        } catch (error) {
          this.#set(at, (error as Error).message);
        }
      }),
    );
  }

  #set(at: number, reason: string | undefined): void {
    const isUsed = reason === undefined;
    if (this.#isUsed[at] === isUsed) return;
    this.#isUsed[at] = isUsed;
    this.onChange({ replica: at + 1, reason });
  }
}
