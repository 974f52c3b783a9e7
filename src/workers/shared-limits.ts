/**
 * Limits that workers share: one rate limit for each key and one count of failures for each address. The
 * buckets are in memory that the supervisor creates; it is gone with the last process that has it. Only
 * what is touched takes room.
 */

import type { Failures } from "../access/failed-keys.ts";
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

/** All keys that are used while the supervisor runs. */
const KEYS = 2 ** 17;
const ADDRESSES = 2 ** 20;

/** Words of 64 bits for each slot: half a SHA-256 of the id. */
const WORDS = 2;
export const SLOT_BYTES = WORDS * 8;

/** Beyond so many taken ones in a row the table counts as full. */
const MOST_STEPS = 1024;

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
  /** Where each key's bucket is, as far as this process has looked. */
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
    // More keys than slots: each worker grants its share, which together is no more than the limit.
    return this.#own.take(keyId, shareOf(policy, this.workers), nowMs);
  }

  #find(keyId: string): number {
    const slot = this.slots.find(keyId) ?? NO_SLOT;
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
  constructor(
    private readonly buckets: SharedBuckets,
    private readonly seed: bigint,
  ) {}

  take(address: string, policy: Policy, nowMs: number): void {
    this.buckets.take(this.#bucketOf(address), policy, nowMs);
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
 * A word is the moment at which the bucket will be full, so that zero is a full one. It is counted in
 * sixteenths of a nanosecond: fine enough that the whole number of drops can be told from it, up to ten
 * million requests a minute, and enough for 18 years. When the rate of a key is changed, the time
 * until its bucket is full stays.
 */
const UNITS = 16_000_000;
const LATEST = 2n ** 63n - 1n;

/**
 * Token buckets. Each is one word of 64 bits, changed by compare-and-exchange: no process ever waits for
 * another, and one that is killed leaves nothing half done.
 */
export class SharedBuckets {
  /** One word for each bucket. */
  constructor(private readonly words: BigInt64Array) {}

  get count(): number {
    return this.words.length;
  }

  /** Takes one token, if there is one. `nowMs` is of the clock that all processes share. */
  take(at: number, policy: Policy, nowMs: number): Verdict {
    for (;;) {
      const word = Atomics.load(this.words, at);
      const verdict = take(bucketOf(word, policy, nowMs), policy, nowMs);
      if (!verdict.allowed) return verdict;
      const next = wordOf(verdict.bucket, policy);
      // More than eight years from full: later than can be written down, and so no more is lent.
      if (next > LATEST) return { ...verdict, allowed: false };
      if (Atomics.compareExchange(this.words, at, word, next) === word) return verdict;
    }
  }

  /** Seconds until there is a token; 0 when there is one now. */
  wait(at: number, policy: Policy, nowMs: number): number {
    return secondsToToken(bucketOf(Atomics.load(this.words, at), policy, nowMs), policy, nowMs);
  }
}

/** Undefined stands for a full one. */
function bucketOf(word: bigint, policy: Policy, nowMs: number): Bucket | undefined {
  const at = Math.floor(nowMs);
  const untilFull = Number(word - BigInt(at) * BigInt(UNITS));
  if (untilFull <= 0) return undefined;
  const missing = Math.round((untilFull * policy.rate) / UNITS);
  return { drops: Math.max(0, policy.burst * DROPS - missing), at };
}

function wordOf({ drops, at }: Bucket, { rate, burst }: Policy): bigint {
  const untilFull = Math.round(((burst * DROPS - drops) * UNITS) / rate);
  return BigInt(at) * BigInt(UNITS) + BigInt(untilFull);
}

/** Finds a key's slot: the same one in every process, taken by whichever comes first. */
export class SlotTable {
  readonly #words: BigInt64Array;
  readonly #count: number;

  /** All zeros at first. The number of slots must be a power of two. */
  constructor(memory: Uint8Array) {
    this.#words = new BigInt64Array(memory.buffer, memory.byteOffset, memory.byteLength / 8);
    this.#count = this.#words.length / WORDS;
  }

  /** The slot of the id; undefined when none is left. */
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

  /** Whether the word is this one, be it by now. */
  #claim(at: number, word: bigint): boolean {
    const before = Atomics.compareExchange(this.#words, at, 0n, word);
    return before === 0n || before === word;
  }
}

function digestOf(id: string): [bigint, bigint] {
  const digest = Buffer.from(Bun.CryptoHasher.hash("sha256", id));
  // Zero means that a slot is free.
  return [digest.readBigInt64LE(0) || 1n, digest.readBigInt64LE(8) || 1n];
}
