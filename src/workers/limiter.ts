/** In charge of one rate limit for each key, over all workers. */

import type { Policy, Verdict } from "../access/bucket.ts";
import { type Limiter, MemoryLimiter } from "../access/limiter.ts";
import type { SharedBuckets } from "./buckets.ts";
import type { Seats } from "./seats.ts";

const NO_SEAT = -1;

export class SharedLimiter implements Limiter {
  readonly #seats: Seats;
  readonly #buckets: SharedBuckets;
  readonly #workers: number;
  /** Where each key's bucket is, as far as this process has looked. */
  readonly #known = new Map<string, number>();
  readonly #own = new MemoryLimiter();

  constructor(seats: Seats, buckets: SharedBuckets, workers: number) {
    this.#seats = seats;
    this.#buckets = buckets;
    this.#workers = workers;
  }

  take(keyId: string, policy: Policy, nowMs: number): Verdict {
    const seat = this.#known.get(keyId) ?? this.#find(keyId);
    if (seat !== NO_SEAT) return this.#buckets.take(seat, policy, nowMs);
    // More keys than places: each worker grants its share, which together is no more than the limit.
    return this.#own.take(keyId, shareOf(policy, this.#workers), nowMs);
  }

  #find(keyId: string): number {
    const seat = this.#seats.find(keyId) ?? NO_SEAT;
    this.#known.set(keyId, seat);
    return seat;
  }
}

/** At least one request a minute: no key is locked out. */
function shareOf({ rate, burst }: Policy, workers: number): Policy {
  const share = (whole: number) => Math.max(1, Math.floor(whole / workers));
  return { rate: share(rate), burst: share(burst) };
}
