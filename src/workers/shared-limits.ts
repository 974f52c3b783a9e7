/**
 * Limits that workers share: a rate limit per key, and per client address a count of invalid keys, a count of requests
 * without a key and the rate limit of portal visitors. The buckets are in memory that the supervisor creates; the system
 * frees it when the last process exits.
 */

import { openSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import type { AddressLimiter } from "../access/failed-keys.ts";
import {
  type Bucket,
  DROPS,
  type Limiter,
  type Policy,
  secondsToToken,
  take,
  type Verdict,
} from "../access/rate-limit.ts";

/** For all keys used while the supervisor runs. */
const KEYS = 2 ** 17;
const ADDRESSES = 2 ** 20;

/** After this many occupied slots in a row, a key shares the bucket of another. */
const MOST_STEPS = 1024;

const WORD = BigInt64Array.BYTES_PER_ELEMENT;
const KEYS_BYTES = KEYS * WORD;
const ADDRESSES_BYTES = ADDRESSES * WORD;

/** Why workers cannot run here, as a message for the operator. */
export class WorkersError extends Error {
  override name = "WorkersError";
}

/** A file descriptor that workers inherit, of a file in memory without a name. */
export function newSharedMemory(): number {
  if (process.platform !== "linux") {
    throw new WorkersError(
      "several workers on one port require Linux; use --workers 1, and run more instances behind a proxy",
    );
  }
  const path = `/dev/shm/matchbook-${crypto.randomUUID()}`;
  const descriptor = openSync(path, "wx+", 0o600);
  unlinkSync(path);
  // All of it is taken now, because a process is killed that uses a page for which there is no room later.
  writeFileSync(descriptor, new Uint8Array(2 * KEYS_BYTES + 3 * ADDRESSES_BYTES));
  return descriptor;
}

/**
 * Monotonic milliseconds, the same in every process of the machine but for the ten that the system rounds to, which a
 * bucket hardly notices. The clocks of the runtime start at zero in each process.
 */
export function machineClock(): () => number {
  const [uptime] = readFileSync("/proc/uptime", "utf8").split(" ");
  const beginning = Number(uptime) * 1000 - performance.now();
  return () => beginning + performance.now();
}

/** The processes share the secret. */
export function openSharedLimits(descriptor: number, secret: string) {
  const seed = Bun.hash.wyhash(secret);
  const words = (offset: number, size: number) => {
    const file = `/proc/self/fd/${descriptor}`;
    const { buffer, byteOffset } = Bun.mmap(file, { shared: true, offset, size });
    return new BigInt64Array(buffer, byteOffset, size / WORD);
  };
  // Addresses are not stored: a hash selects the bucket. The chance that two addresses share a bucket is one in a
  // million, and nobody can provoke it, because the seed is secret.
  const bucketOfAddress = (address: string) =>
    Number(Bun.hash.wyhash(address, seed) % BigInt(ADDRESSES));
  const byAddress = (table: number): AddressLimiter => {
    const start = 2 * KEYS_BYTES + table * ADDRESSES_BYTES;
    const buckets = new SharedBuckets(words(start, ADDRESSES_BYTES));
    return {
      take: (address, policy, nowMs) => buckets.take(bucketOfAddress(address), policy, nowMs),
      wait: (address, policy, nowMs) => buckets.wait(bucketOfAddress(address), policy, nowMs),
    };
  };
  const buckets = new SharedBuckets(words(KEYS_BYTES, KEYS_BYTES));
  return {
    limiter: new SharedLimiter(words(0, KEYS_BYTES), buckets),
    failures: byAddress(0),
    openRequests: byAddress(1),
    visitors: byAddress(2),
  };
}

/** Buckets by key. Each slot has the hash of its key: the first process that needs a free one claims it. */
export class SharedLimiter implements Limiter {
  /** The slots of keys that this process has seen. */
  readonly #known = new Map<string, number>();

  /** `slots` are zero while they are free. */
  constructor(
    private readonly slots: BigInt64Array,
    private readonly buckets: SharedBuckets,
  ) {}

  take(keyId: string, policy: Policy, nowMs: number): Verdict {
    const slot = this.#known.get(keyId) ?? this.#find(keyId);
    return this.buckets.take(slot, policy, nowMs);
  }

  #find(keyId: string): number {
    const { slots } = this;
    const hash = BigInt.asIntN(64, Bun.hash.wyhash(keyId)) || 1n;
    const first = Number(BigInt.asUintN(32, hash)) % slots.length;
    let found = first;
    for (let step = 0; step < Math.min(MOST_STEPS, slots.length); step++) {
      const slot = (first + step) % slots.length;
      const before = Atomics.compareExchange(slots, slot, 0n, hash);
      if (before !== 0n && before !== hash) continue;
      found = slot;
      break;
    }
    this.#known.set(keyId, found);
    return found;
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
