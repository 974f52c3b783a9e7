/**
 * Overload control: which requests are refused, because more arrive than can be handled.
 *
 * Reads of SQLite are synchronous, so requests wait for each other in their sockets: each turn of the event loop handles
 * all that have arrived during the turn before. The length of a turn is therefore how long requests wait. When a turn
 * takes too long, the rest of it is refused, which costs little. As long as that happens, turns are kept short, so that
 * those that are admitted hardly wait, and neither do health checks.
 *
 * With PostgreSQL requests wait for the database instead: too many for one shard are refused as well.
 */

import type { Observe } from "../observe/events.ts";

/** During an overload, turns end after this time, but not before a few requests are handled. */
const OVERLOAD_TURN = { ms: 5, requests: 8 };
/** Otherwise, fewer requests than this are never refused: a turn is also long when the machine is short of CPU time. */
const USUAL_REQUESTS = 32;
/** An overload ends when no request was refused for this time. */
const OVERLOAD_MS = 1000;
/** At most one event in this time. */
const REPORT_MS = 10_000;

export interface OverloadLimits {
  /** How long requests may wait for others; 0: however long. */
  maxDelayMs: number;
  /** How many requests to one shard may wait for its database at once. */
  maxInFlight: number;
}

export class OverloadControl {
  /** By shard. */
  readonly #inFlight = new Map<string, number>();
  #turnBegan = 0;
  /** How many requests arrived in this turn of the event loop, and in the last one before in which any did. */
  #arrived = 0;
  #arrivedBefore = 0;
  #overloadEnds = Number.NEGATIVE_INFINITY;
  #refused = 0;
  #nextReport = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly limits: OverloadLimits,
    private readonly observe: Observe,
  ) {}

  /**
   * Whether requests wait for this process. Those that arrive while it is busy are handled together in the next turn of
   * the event loop, so more than one in a turn means that some have waited. CPU time would not tell: a single client
   * that sends one request after another uses a core as well as a hundred clients do.
   */
  get isBusy(): boolean {
    return this.#arrived > 1 || this.#arrivedBefore > 1;
  }

  /** Whether a request that begins now is admitted. One that is must leave again. */
  enter(shard: string, now: number): boolean {
    if (this.#arrived === 0) {
      this.#turnBegan = now;
      setImmediate(this.#endTurn);
    }
    this.#arrived += 1;
    const isTurnOver = this.#isTurnOver(now);
    if (isTurnOver) this.#overloadEnds = now + OVERLOAD_MS;
    const inFlight = this.#inFlight.get(shard) ?? 0;
    if (isTurnOver || inFlight >= this.limits.maxInFlight) {
      this.#report(now);
      return false;
    }
    this.#inFlight.set(shard, inFlight + 1);
    return true;
  }

  /** The request has its response, or waits for something that costs nothing. */
  leave(shard: string): void {
    const others = this.#inFlight.get(shard)! - 1;
    if (others === 0) this.#inFlight.delete(shard);
    else this.#inFlight.set(shard, others);
  }

  #isTurnOver(now: number): boolean {
    const { maxDelayMs } = this.limits;
    if (maxDelayMs === 0) return false;
    const { ms, requests } =
      now < this.#overloadEnds ? OVERLOAD_TURN : { ms: maxDelayMs, requests: USUAL_REQUESTS };
    return this.#arrived > requests && now - this.#turnBegan > ms;
  }

  readonly #endTurn = () => {
    this.#arrivedBefore = this.#arrived;
    this.#arrived = 0;
  };

  #report(now: number): void {
    this.#refused += 1;
    if (now < this.#nextReport) return;
    this.#nextReport = now + REPORT_MS;
    this.observe({ event: "overloaded", refused: this.#refused });
    this.#refused = 0;
  }
}
