/**
 * Limits that workers share: a rate limit per key, and per client address a count of invalid keys, a count of requests
 * without a key and the rate limit of portal visitors. The buckets are in memory that the supervisor creates; the system frees it when the last process exits. Only
 * used pages take memory.
 */

import type { AddressLimiter } from "../access/failed-keys.ts";
import {
  type Bucket,
  DROPS,
  type Limiter,
  MemoryLimiter,
  type Policy,
  secondsToToken,
  take,
  type Verdict,
} from "../access/rate-limit.ts";
import { mapMemory, newMemory } from "./libc.ts";

/** For all keys used while the supervisor runs. */
const KEYS = 2 ** 17;
const ADDRESSES = 2 ** 20;

/** 64-bit words per slot: half a SHA-256 of the id. */
const WORDS = 2;
export const SLOT_BYTES = WORDS * 8;

/** After this many occupied slots in a row the table counts as full. */
const MOST_STEPS = 1024;

const BUCKET_BYTES = BigInt64Array.BYTES_PER_ELEMENT;
const SLOTS_BYTES = KEYS * SLOT_BYTES;
const BUCKETS_BYTES = KEYS * BUCKET_BYTES;
const ADDRESSES_BYTES = ADDRESSES * BUCKET_BYTES;

/** A file descriptor that workers inherit. */
export function newSharedMemory(): number {
  return newMemory("matchbook-limits", SLOTS_BYTES + BUCKETS_BYTES + 3 * ADDRESSES_BYTES);
}

/** `workers`: how many share the memory. `seed`: a secret that they share. */
export function openSharedLimits(descriptor: number, workers: number, seed: number) {
  const slots = new SlotTable(mapMemory(descriptor, 0, SLOTS_BYTES));
  const buckets = words(mapMemory(descriptor, SLOTS_BYTES, BUCKETS_BYTES));
  const byAddress = (table: number) => {
    const start = SLOTS_BYTES + BUCKETS_BYTES + table * ADDRESSES_BYTES;
    const buckets = words(mapMemory(descriptor, start, ADDRESSES_BYTES));
    return new SharedAddressLimiter(new SharedBuckets(buckets), BigInt(seed));
  };
  return {
    limiter: new SharedLimiter(slots, new SharedBuckets(buckets), workers),
    failures: byAddress(0),
    openRequests: byAddress(1),
    visitors: byAddress(2),
  };
}

const words = ({ buffer, byteOffset, byteLength }: Uint8Array): BigInt64Array =>
  new BigInt64Array(buffer, byteOffset, byteLength / BUCKET_BYTES);

const NO_SLOT = -1;

export class SharedLimiter implements Limiter {
  /** The slots of keys that this process has seen. */
  readonly #known = new Map<string, number>();
  readonly #own = new MemoryLimiter();

  constructor(
    private readonly slots: SlotTable,
    private readonly buckets: SharedBuckets,
    private readonly workers: number,
  ) {}

  take(keyId: string, policy: Policy, nowMs: number): Verdict {
    const slot = this.#known.get(keyId) ?? this.#find(keyId);
    if (slot !== NO_SLOT) return this.buckets.take(slot, policy, nowMs);
    // More keys than slots: each worker applies its share of the limit.
    return this.#own.take(keyId, shareOf(policy, this.workers), nowMs);
  }

  #find(keyId: string): number {
    const slot = this.slots.find(keyId) ?? NO_SLOT;
    this.#known.set(keyId, slot);
    return slot;
  }
}

/** At least one request per minute, so that no key is locked out. */
function shareOf({ rate, burst }: Policy, workers: number): Policy {
  const share = (whole: number) => Math.max(1, Math.floor(whole / workers));
  return { rate: share(rate), burst: share(burst) };
}

/**
 * Buckets by client address. Addresses are not stored: a hash selects the bucket. The chance that two addresses share
 * a bucket is one in a million, and nobody can provoke it, because the seed is secret.
 */
class SharedAddressLimiter implements AddressLimiter {
  constructor(
    private readonly buckets: SharedBuckets,
    private readonly seed: bigint,
  ) {}

  take(address: string, policy: Policy, nowMs: number): Verdict {
    return this.buckets.take(this.#bucketOf(address), policy, nowMs);
  }

  wait(address: string, policy: Policy, nowMs: number): number {
    return this.buckets.wait(this.#bucketOf(address), policy, nowMs);
  }

  #bucketOf(address: string): number {
    const hash = Bun.hash.wyhash(address, this.seed);
    return Number(hash % BigInt(this.buckets.count));
  }
}

/**
 * A word is the time at which the bucket will be full, so zero is a full bucket. The unit is a sixteenth of a
 * nanosecond: precise enough for the exact number of drops up to ten million requests per minute, with a range of
 * 18 years. When the rate of a key changes, the time until its bucket is full stays the same, but it is never longer
 * than an empty bucket takes.
 */
const UNITS = 16_000_000;
/** Processes that take at the same time may have read the clock in another order. */
const CLOCK_SLACK_MS = 1000;
const LATEST = 2n ** 63n - 1n;

/**
 * Token buckets. Each is one 64-bit word, changed by compare-and-exchange: no process waits for another, and one
 * that is killed leaves no partial update.
 */
export class SharedBuckets {
  /** One word per bucket. */
  constructor(private readonly words: BigInt64Array) {}

  get count(): number {
    return this.words.length;
  }

  /** Takes one token, if available. `nowMs` comes from the clock that all processes share. */
  take(at: number, policy: Policy, nowMs: number): Verdict {
    for (;;) {
      const word = Atomics.load(this.words, at);
      const verdict = take(bucketOf(word, policy, nowMs), policy, nowMs);
      // One that was emptied under a policy that fills it more slowly begins to fill now.
      if (!verdict.allowed && !isOverdrawn(word, policy, nowMs)) return verdict;
      const next = wordOf(verdict.bucket, policy);
      // The time does not fit into the word: more than eight years until full.
      if (next > LATEST) return { ...verdict, allowed: false };
      if (Atomics.compareExchange(this.words, at, word, next) === word) return verdict;
    }
  }

  /** Seconds until a token is available; 0 if there is one now. */
  wait(at: number, policy: Policy, nowMs: number): number {
    return secondsToToken(bucketOf(Atomics.load(this.words, at), policy, nowMs), policy, nowMs);
  }
}

/** Undefined means a full bucket. */
function bucketOf(word: bigint, policy: Policy, nowMs: number): Bucket | undefined {
  const at = Math.floor(nowMs);
  const untilFull = Number(word - BigInt(at) * BigInt(UNITS));
  if (untilFull <= 0) return undefined;
  const missing = Math.round((untilFull * policy.rate) / UNITS);
  return { drops: Math.max(0, policy.burst * DROPS - missing), at };
}

/** Whether a bucket takes longer to fill than an empty one does. */
const isOverdrawn = (word: bigint, policy: Policy, nowMs: number): boolean =>
  word > wordOf({ drops: 0, at: Math.floor(nowMs) + CLOCK_SLACK_MS }, policy);

function wordOf({ drops, at }: Bucket, { rate, burst }: Policy): bigint {
  const untilFull = Math.round(((burst * DROPS - drops) * UNITS) / rate);
  return BigInt(at) * BigInt(UNITS) + BigInt(untilFull);
}

/** Finds the slot of a key: the same in every process. The first process to need it claims it. */
export class SlotTable {
  readonly #words: BigInt64Array;
  readonly #count: number;

  /** Initially all zeros. The number of slots must be a power of two. */
  constructor(memory: Uint8Array) {
    this.#words = new BigInt64Array(memory.buffer, memory.byteOffset, memory.byteLength / 8);
    this.#count = this.#words.length / WORDS;
  }

  /** The slot of the id; undefined if the table is full. */
  find(id: string): number | undefined {
    const [first, second] = digestOf(id);
    const start = Number(BigInt.asUintN(32, first));
    for (let step = 0; step < Math.min(MOST_STEPS, this.#count); step++) {
      const slot = (start + step) % this.#count;
      // Two ids that agree in the first word may race for a slot; the second word decides.
      if (this.#claim(WORDS * slot, first) && this.#claim(WORDS * slot + 1, second)) return slot;
    }
    return undefined;
  }

  /** Sets the word if it is free. Whether it now has this value. */
  #claim(at: number, word: bigint): boolean {
    const before = Atomics.compareExchange(this.#words, at, 0n, word);
    return before === 0n || before === word;
  }
}

function digestOf(id: string): [bigint, bigint] {
  const digest = Buffer.from(Bun.CryptoHasher.hash("sha256", id));
  // Zero marks a free slot.
  return [digest.readBigInt64LE(0) || 1n, digest.readBigInt64LE(8) || 1n];
}
