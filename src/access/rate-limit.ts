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

const DEFAULT_SIZE = 100_000;

/** The buckets of this process. Beyond `size`, the least recently used ones are dropped. */
export class MemoryLimiter implements Limiter {
  /** The order of a map is that of insertion. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(readonly size: number = DEFAULT_SIZE) {}

  take(keyId: string, policy: Policy, nowMs: number): Verdict {
    const { bucket, ...verdict } = take(this.#buckets.get(keyId), policy, nowMs);
    this.#buckets.delete(keyId);
    if (this.#buckets.size >= this.size) this.#buckets.delete(this.#buckets.keys().next().value!);
    this.#buckets.set(keyId, bucket);
    return verdict;
  }

  /** Seconds until a request is allowed; 0: now. Takes no token. */
  wait(keyId: string, policy: Policy, nowMs: number): number {
    return secondsToToken(this.#buckets.get(keyId), policy, nowMs);
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
