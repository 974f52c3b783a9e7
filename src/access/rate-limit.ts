/** The rate limit: a token bucket per key, and the response headers. */

import type { Awaitable } from "../domain/awaitable.ts";

export interface Policy {
  /** Tokens per minute. */
  rate: number;
  /** Capacity of the bucket. */
  burst: number;
}

/**
 * The level of a bucket at a time. A token is 60,000 drops, and `rate` drops are added per
 * millisecond, so all numbers are integers and nothing is lost by rounding.
 */
export interface Bucket {
  drops: number;
  at: number;
}

export interface Verdict {
  allowed: boolean;
  /** Whole tokens left. */
  remaining: number;
  /** Seconds until the bucket is full, rounded up. */
  resetSeconds: number;
  /** Seconds until a request is allowed, if none is sent meanwhile; 0: now. */
  retryAfterSeconds: number;
}

export const DROPS = 60_000;

/**
 * Takes one token if available. An undefined bucket is full. `nowMs` is monotonic; if it goes back,
 * no tokens are added. Returns the new bucket and the result.
 */
export function take(
  bucket: Bucket | undefined,
  policy: Policy,
  nowMs: number,
): Verdict & { bucket: Bucket } {
  const now = Math.floor(nowMs);
  const before = dropsAt(bucket, policy, now);
  const allowed = before >= DROPS;
  const drops = allowed ? before - DROPS : before;
  const at = bucket === undefined ? now : Math.max(now, bucket.at);
  const { remaining, resetSeconds, retryAfterSeconds } = verdictOn(allowed, drops, policy);
  return { bucket: { drops, at }, allowed, remaining, resetSeconds, retryAfterSeconds };
}

export function verdictOn(allowed: boolean, drops: number, policy: Policy): Verdict {
  return {
    allowed,
    remaining: Math.floor(drops / DROPS),
    resetSeconds: secondsFor(policy.burst * DROPS - drops, policy.rate),
    retryAfterSeconds: secondsFor(DROPS - drops, policy.rate),
  };
}

/** Rounded up; 0 if a token is available. */
export function secondsToToken(bucket: Bucket | undefined, policy: Policy, nowMs: number): number {
  return secondsFor(DROPS - dropsAt(bucket, policy, Math.floor(nowMs)), policy.rate);
}

/** A full bucket need not be stored. */
export function isFull(bucket: Bucket, policy: Policy, nowMs: number): boolean {
  return dropsAt(bucket, policy, Math.floor(nowMs)) === policy.burst * DROPS;
}

function dropsAt(bucket: Bucket | undefined, policy: Policy, now: number): number {
  const full = policy.burst * DROPS;
  if (bucket === undefined) return full;
  const elapsed = Math.max(0, now - bucket.at);
  return Math.min(full, bucket.drops + elapsed * policy.rate);
}

function secondsFor(drops: number, rate: number): number {
  return Math.max(0, Math.ceil(drops / (rate * 1000)));
}

/** The buckets may be remote, so callers await. */
export interface Limiter {
  /** `nowMs` is monotonic. */
  take(keyId: string, policy: Policy, nowMs: number): Awaitable<Verdict>;
}

interface Held {
  bucket: Bucket;
  policy: Policy;
}

const DEFAULT_SIZE = 100_000;

// How many of the least recently used buckets are checked for a full one.
const EVICTION_SCAN = 16;

/** The buckets of this process, least recently used first. */
export class MemoryLimiter implements Limiter {
  readonly #kept = new Map<string, Held>();

  constructor(readonly size: number = DEFAULT_SIZE) {}

  take(keyId: string, policy: Policy, nowMs: number): Verdict {
    const kept = this.#kept.get(keyId);
    const verdict = take(kept?.bucket, policy, nowMs);
    const { bucket } = verdict;
    // While there is room, nothing is evicted, and the order does not matter.
    if (kept !== undefined && this.#kept.size <= this.size / 2) {
      kept.bucket = bucket;
      kept.policy = policy;
      return verdict;
    }
    if (kept !== undefined) this.#kept.delete(keyId);
    else if (this.#kept.size >= this.size) this.#evict(nowMs);
    this.#kept.set(keyId, { bucket, policy });
    return verdict;
  }

  /** Seconds until a request is allowed; 0: now. Takes no token. */
  wait(keyId: string, policy: Policy, nowMs: number): number {
    return secondsToToken(this.#kept.get(keyId)?.bucket, policy, nowMs);
  }

  /** Evicts a full bucket if possible, otherwise the least recently used. */
  #evict(nowMs: number): void {
    let victim: string | undefined;
    let looked = 0;
    for (const [keyId, { bucket, policy }] of this.#kept) {
      victim ??= keyId;
      if (isFull(bucket, policy, nowMs)) {
        victim = keyId;
        break;
      }
      if (++looked === EVICTION_SCAN) break;
    }
    if (victim !== undefined) this.#kept.delete(victim);
  }
}

/** The headers of every authenticated response. */
export type LimitHeaders = ReturnType<typeof writeHeaders>;

/** Requests that follow each other often have the same ones. */
let last: { policy: Policy; remaining: number; resetSeconds: number; headers: LimitHeaders };

export function limitHeaders(policy: Policy, { remaining, resetSeconds }: Verdict): LimitHeaders {
  if (
    last?.policy !== policy ||
    last.remaining !== remaining ||
    last.resetSeconds !== resetSeconds
  ) {
    const headers = writeHeaders(policy, remaining, resetSeconds);
    last = { policy, remaining, resetSeconds, headers };
  }
  return last.headers;
}

function writeHeaders(policy: Policy, remaining: number, resetSeconds: number) {
  // The window is the time to refill the bucket: 60 seconds if burst equals rate.
  const window = Math.ceil((policy.burst * 60) / policy.rate);
  return {
    "RateLimit-Policy": `"default";q=${policy.burst};w=${window}`,
    RateLimit: `"default";r=${remaining};t=${resetSeconds}`,
    "X-RateLimit-Limit": String(policy.burst),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(resetSeconds),
  };
}
