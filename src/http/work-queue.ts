/**
 * Overload control: how many requests are worked on at once, which of them wait, and which are refused.
 *
 * Reads of SQLite are synchronous, so requests wait for each other. Without a queue they would wait in their sockets:
 * the event loop handles all that are readable in one turn, however long it takes, and nobody is refused. Here a turn
 * works for a limited time, and the other requests wait in the queue. In between the event loop reads the sockets, so
 * that health checks and refusals do not wait.
 *
 * The queue is first in, first out while it has room: clients that wait for a response before they send the next
 * request never fill it unless there are more of them than places. Once it overflows, more arrives than can be worked
 * on, and a fair queue would delay every request by its whole length. Therefore the newest request then comes first,
 * and the oldest are refused: those that are served hardly wait.
 */

import type { Awaitable } from "../domain/awaitable.ts";
import type { Observe } from "../observe/events.ts";

/**
 * How long a turn of the event loop works before the sockets are read again. Up to the first, requests wait in their
 * sockets as without a queue, which is cheaper: shorter turns double the CPU time per request. Health checks wait as
 * long.
 */
const TURN_MS = 50;
const OVERLOAD_TURN_MS = 2;
/** Overload ends when no request was refused for this time. */
const OVERLOAD_MS = 1000;
/** How long a request waits during overload, and otherwise: there the requests before it may wait for a database. */
const OVERLOAD_WAIT_MS = 30;
const MAX_WAIT_MS = 5000;
/** How often those that wait for a busy database are looked at. */
const LOOK_MS = 10;
/** At most one log line in this time. */
const REPORT_MS = 10_000;

export interface WorkLimits {
  /** How many requests to one shard are worked on at once, so that a slow database does not delay other shards. */
  maxInFlight: number;
  maxWaiting: number;
}

interface Waiting {
  shard: string;
  since: number;
  /** False: the request is refused. */
  start(isAdmitted: boolean): void;
}

export class WorkQueue {
  /** By shard. */
  readonly #inFlight = new Map<string, number>();
  /** The oldest first. */
  readonly #waiting: Waiting[] = [];
  #turnEnds = 0;
  #isTurnOpen = false;
  /** How many requests arrived in this turn of the event loop, and in the last one before in which any did. */
  #arrived = 0;
  #arrivedBefore = 0;
  #look: ReturnType<typeof setTimeout> | undefined;
  #lastRefusal = Number.NEGATIVE_INFINITY;
  #refused = 0;
  #nextReport = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly limits: WorkLimits,
    private readonly monotonic: () => number,
    private readonly observe: Observe,
  ) {}

  /**
   * Whether requests wait for this process. Those that arrive while it is busy are read together in the next turn of
   * the event loop, so more than one in a turn means that some have waited. CPU time would not tell: a single client
   * that sends one request after another uses a core as well as a hundred clients do.
   */
  get isBusy(): boolean {
    return this.#arrived > 1 || this.#arrivedBefore > 1 || this.#waiting.length > 0;
  }

  /** Whether the request is admitted, now or when its turn comes. One that is admitted must leave again. */
  enter(shard: string, now: number): Awaitable<boolean> {
    this.#openTurn(now);
    this.#arrived += 1;
    if (this.#waiting.length === 0 && now < this.#turnEnds && this.#hasSlot(shard)) {
      this.#take(shard);
      return true;
    }
    const { promise, resolve: start } = Promise.withResolvers<boolean>();
    this.#waiting.push({ shard, since: now, start });
    if (this.#waiting.length > this.limits.maxWaiting) this.#refuseOldest(now);
    return promise;
  }

  /** The work is done, or waits for something that nobody has to work for. */
  leave(shard: string): void {
    const others = this.#inFlight.get(shard)! - 1;
    if (others === 0) this.#inFlight.delete(shard);
    else this.#inFlight.set(shard, others);
    if (this.#waiting.length === 0) return;
    const now = this.monotonic();
    this.#openTurn(now);
    if (now < this.#turnEnds) this.#startNext(now);
  }

  #openTurn(now: number): void {
    if (this.#isTurnOpen) return;
    this.#isTurnOpen = true;
    this.#turnEnds = now + (this.#isOverloaded(now) ? OVERLOAD_TURN_MS : TURN_MS);
    setImmediate(this.#nextTurn);
  }

  /** Starts one request; when it leaves, the next one starts. */
  readonly #nextTurn = () => {
    this.#isTurnOpen = false;
    if (this.#arrived > 0) this.#arrivedBefore = this.#arrived;
    this.#arrived = 0;
    if (this.#waiting.length === 0) return;
    const now = this.monotonic();
    this.#refuseLate(now);
    if (this.#startNext(now)) this.#openTurn(now);
    else if (this.#waiting.length > 0) this.#lookLater();
  };

  /** All that wait are for shards that have no slot. */
  #lookLater(): void {
    this.#look ??= setTimeout(() => {
      this.#look = undefined;
      this.#openTurn(this.monotonic());
    }, LOOK_MS);
  }

  #startNext(now: number): boolean {
    const hasSlot = ({ shard }: Waiting) => this.#hasSlot(shard);
    const at = this.#isOverloaded(now)
      ? this.#waiting.findLastIndex(hasSlot)
      : this.#waiting.findIndex(hasSlot);
    if (at < 0) return false;
    const [next] = this.#waiting.splice(at, 1);
    this.#take(next!.shard);
    next!.start(true);
    return true;
  }

  #isOverloaded(now: number): boolean {
    return now - this.#lastRefusal < OVERLOAD_MS;
  }

  /** A quarter of the places is always kept, so that a few persistent clients are served in spite of an overload. */
  #refuseLate(now: number): void {
    const { maxWaiting } = this.limits;
    const isLate = (ms: number) => now - this.#waiting[0]!.since > ms;
    while (
      this.#waiting.length > maxWaiting / 4 &&
      this.#isOverloaded(now) &&
      isLate(OVERLOAD_WAIT_MS)
    ) {
      this.#refuseOldest(now);
    }
    while (this.#waiting.length > 0 && isLate(MAX_WAIT_MS)) this.#refuseOldest(now);
  }

  #refuseOldest(now: number): void {
    this.#lastRefusal = now;
    this.#refused += 1;
    this.#waiting.shift()!.start(false);
    if (now < this.#nextReport) return;
    this.#nextReport = now + REPORT_MS;
    this.observe({ event: "overloaded", refused: this.#refused });
    this.#refused = 0;
  }

  #hasSlot(shard: string): boolean {
    return (this.#inFlight.get(shard) ?? 0) < this.limits.maxInFlight;
  }

  #take(shard: string): void {
    this.#inFlight.set(shard, (this.#inFlight.get(shard) ?? 0) + 1);
  }
}
