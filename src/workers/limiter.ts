/** In charge of one rate limit for each key, over all workers. */

import type { Policy, Verdict } from "../access/rate-limit.ts";
import { type Limiter, MemoryLimiter } from "../access/rate-limit.ts";
import type { SharedBuckets } from "./buckets.ts";
import type { SlotTable } from "./slots.ts";

const NO_SLOT = -1;

export class SharedLimiter implements Limiter {
  readonly #slots: SlotTable;
  readonly #buckets: SharedBuckets;
  readonly #workers: number;
  /** Where each key's bucket is, as far as this process has looked. */
  readonly #known = new Map<string, number>();
  readonly #own = new MemoryLimiter();

  constructor(slots: SlotTable, buckets: SharedBuckets, workers: number) {
    this.#slots = slots;
    this.#buckets = buckets;
    this.#workers = workers;
  }

  take(keyId: string, policy: Policy, nowMs: number): Verdict {
    const slot = this.#known.get(keyId) ?? this.#find(keyId);
    if (slot !== NO_SLOT) return this.#buckets.take(slot, policy, nowMs);
    // More keys than places: each worker grants its share, which together is no more than the limit.
    return this.#own.take(keyId, shareOf(policy, this.#workers), nowMs);
  }

  #find(keyId: string): number {
    const slot = this.#slots.find(keyId) ?? NO_SLOT;
    this.#known.set(keyId, slot);
    return slot;
  }
}

/** At least one request a minute: no key is locked out. */
function shareOf({ rate, burst }: Policy, workers: number): Policy {
  const share = (whole: number) => Math.max(1, Math.floor(whole / workers));
  return { rate: share(rate), burst: share(burst) };
}
