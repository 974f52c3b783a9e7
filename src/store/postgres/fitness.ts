/**
 * In charge of whether a replica may be read from: whether it follows the primary, and how long what
 * it has not heard of yet has been there. Time counts only while there is something it lacks: behind a
 * primary that nobody writes to, no replica lags.
 */

import { StoreAway } from "../store.ts";
import type { Session } from "./session.ts";

/** A state of the shard, by its number, and the token that tells it from others of that number. */
interface State {
  seq: number;
  token: string;
}

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

  /** The replica is asked first: the primary cannot be behind it then. */
  async isFit(): Promise<boolean> {
    const state = await this.#state();
    if (!state) return false;
    const verdict = await this.#primary.judge(state);
    if (verdict !== undefined) this.#isFollower = verdict === "own";
    return this.#isFollower && this.#primary.lag(state.seq) <= this.#mostLagMs;
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  async #state(): Promise<State | undefined> {
    try {
      const [row] = await this.#session.rows<{ seq: string; token: string }>(
        "SELECT seq, token FROM {state}",
      );
      return { seq: Number(row!.seq), token: row!.token };
    } catch (error) {
      if (error instanceof StoreAway) return undefined;
      throw error;
    }
  }
}
