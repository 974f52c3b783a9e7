/**
 * In charge of whether a replica may be read from: whether it follows the primary, and how long what
 * it has not heard of yet has been there. Time counts only while there is something it lacks: behind a
 * primary that nobody writes to, no replica lags.
 */

import { StoreAway } from "../store.ts";
import { MIGRATIONS } from "./schema.ts";
import type { Session } from "./session.ts";

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
  readonly #session: Session;
  readonly #now: () => number;
  #seen: { seq: number; at: number }[] = [];

  constructor(session: Session, now: () => number) {
    this.#session = session;
    this.#now = now;
  }

  /** Whether it has answered since we began. */
  get wasHeard(): boolean {
    return this.#seen.length > 0;
  }

  /** What the primary says of a state; undefined when it is away. */
  async judge({ seq, token }: State): Promise<"own" | "unknown" | undefined> {
    try {
      const [row] = await this.#session.rows<{ seq: string; isOwn: boolean }>(
        `SELECT seq, (seq = $1::bigint AND token = $2) OR EXISTS
           (SELECT 1 FROM {changes} WHERE seq = $1::bigint AND token = $2) AS "isOwn"
         FROM {state}`,
        [seq, token],
      );
      this.#note(Number(row!.seq));
      return row!.isOwn ? "own" : "unknown";
    } catch (error) {
      if (error instanceof StoreAway) return undefined;
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
  readonly #session: Session;
  readonly #primary: Primary;
  readonly #mostLagMs: number;
  /** Whether the primary, when it was last heard, knew the replica's state as one of its own. */
  #isFollower = false;

  constructor(session: Session, primary: Primary, mostLagMs: number) {
    this.#session = session;
    this.#primary = primary;
    this.#mostLagMs = mostLagMs;
  }

  /** Throws StoreAway when it does not answer. */
  async state(): Promise<ReplicaState> {
    const [row] = await this.#session.rows<{
      seq: string;
      token: string;
      version: number;
      isCopy: boolean;
    }>(
      `SELECT seq, token, (SELECT version FROM {format}) AS version,
         pg_is_in_recovery() AS "isCopy" FROM {state}`,
    );
    if (!row) throw new StoreAway(`${this.#session.place.shown} has no shard in it yet`);
    return { ...row, seq: Number(row.seq) };
  }

  /**
   * Why it cannot be read from; undefined when it can. Its state was asked for first: the primary cannot
   * be behind it then. `furthest` is the highest number that any replica has.
   */
  async unfit(state: ReplicaState, furthest: number): Promise<Unfit | undefined> {
    const verdict = await this.#primary.judge(state);
    if (!this.#primary.wasHeard) return withoutPrimary(state, furthest);
    if (verdict !== undefined) this.#isFollower = verdict === "own";
    if (state.version < MIGRATIONS.length) return "other-version";
    if (!this.#isFollower) return "stranger";
    return this.#primary.lag(state.seq) > this.#mostLagMs ? "behind" : undefined;
  }

  close(): Promise<void> {
    return this.#session.close();
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
