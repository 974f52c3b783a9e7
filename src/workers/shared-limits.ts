/**
 * Limits that workers share: one rate limit for each key and one count of failures for each address. The
 * buckets are in memory that the supervisor creates; it is gone with the last process that has it. Only
 * what is touched takes room.
 */

import type { Failures } from "../access/failed-keys.ts";
import { type Limiter, MemoryLimiter, type Policy, type Verdict } from "../access/rate-limit.ts";
import { mapMemory, newMemory } from "./libc.ts";
import { SharedBuckets } from "./shared-buckets.ts";
import { SLOT_BYTES, SlotTable } from "./shared-key-table.ts";

/** All keys that are used while the supervisor runs. */
const KEYS = 2 ** 17;
const ADDRESSES = 2 ** 20;

const BUCKET_BYTES = BigInt64Array.BYTES_PER_ELEMENT;
const SLOTS_BYTES = KEYS * SLOT_BYTES;
const BUCKETS_BYTES = KEYS * BUCKET_BYTES;
const FAILURES_BYTES = ADDRESSES * BUCKET_BYTES;

/** A file descriptor that workers inherit. */
export function newSharedMemory(): number {
  return newMemory("matchbook-limits", SLOTS_BYTES + BUCKETS_BYTES + FAILURES_BYTES);
}

/** `workers`: how many share the memory. `seed`: a secret of theirs. */
export function openSharedLimits(descriptor: number, workers: number, seed: number) {
  const slots = new SlotTable(mapMemory(descriptor, 0, SLOTS_BYTES));
  const buckets = words(mapMemory(descriptor, SLOTS_BYTES, BUCKETS_BYTES));
  const failures = words(mapMemory(descriptor, SLOTS_BYTES + BUCKETS_BYTES, FAILURES_BYTES));
  return {
    limiter: new SharedLimiter(slots, new SharedBuckets(buckets), workers),
    failures: new SharedFailures(new SharedBuckets(failures), BigInt(seed)),
  };
}

const words = ({ buffer, byteOffset, byteLength }: Uint8Array): BigInt64Array =>
  new BigInt64Array(buffer, byteOffset, byteLength / BUCKET_BYTES);

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
    // More keys than slots: each worker grants its share, which together is no more than the limit.
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

/**
 * Failed keys by client address. Addresses are not stored: each has the bucket that its hash selects. Two
 * addresses share a bucket once in a million times; nobody can aim at that, since the seed is secret.
 */
class SharedFailures implements Failures {
  readonly #buckets: SharedBuckets;
  readonly #seed: bigint;

  constructor(buckets: SharedBuckets, seed: bigint) {
    this.#buckets = buckets;
    this.#seed = seed;
  }

  take(address: string, policy: Policy, nowMs: number): void {
    this.#buckets.take(this.#bucketOf(address), policy, nowMs);
  }

  wait(address: string, policy: Policy, nowMs: number): number {
    return this.#buckets.wait(this.#bucketOf(address), policy, nowMs);
  }

  #bucketOf(address: string): number {
    const hash = Bun.hash.wyhash(address, this.#seed);
    return Number(hash % BigInt(this.#buckets.count));
  }
}
