/** Decides the rate limit: a token bucket for each key, and the headers that tell the caller about it. */

import type { Awaitable } from "../domain/awaitable.ts";

export interface Policy {
  /** Tokens that flow in a minute. */
  rate: number;
  /** Tokens that a full bucket holds. */
  burst: number;
}

/**
 * How full a bucket was at a moment. A token is counted as 60,000 drops, of which `rate` flow in
 * each millisecond: all numbers stay whole, and no rounding can lend or steal a request.
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
  /** Seconds after which one more request passes, if none is sent meanwhile; 0 when one would now. */
  retryAfterSeconds: number;
}

export const DROPS = 60_000;

/**
 * Takes one token if there is one. No bucket yet: a full one. `nowMs` is monotonic; should it ever
 * step back, nothing flows. Returns the bucket to keep beside what to tell the caller.
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

/** What to tell the caller when so many drops are left. */
export function verdictOn(allowed: boolean, drops: number, policy: Policy): Verdict {
  return {
    allowed,
    remaining: Math.floor(drops / DROPS),
    resetSeconds: secondsFor(policy.burst * DROPS - drops, policy.rate),
    retryAfterSeconds: secondsFor(DROPS - drops, policy.rate),
  };
}

/** Seconds until there is a token, rounded up; 0 when there is one now. */
export function secondsToToken(bucket: Bucket | undefined, policy: Policy, nowMs: number): number {
  return secondsFor(DROPS - dropsAt(bucket, policy, Math.floor(nowMs)), policy.rate);
}

/** A full bucket is as good as none: it can be forgotten. */
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

/** Where the buckets are kept may be elsewhere, shared by several instances: callers await. */
export interface Limiter {
  /** Charges one request to the key. `nowMs` is monotonic, in milliseconds. */
  take(keyId: string, policy: Policy, nowMs: number): Awaitable<Verdict>;
}

interface Held {
  bucket: Bucket;
  policy: Policy;
}

const DEFAULT_SIZE = 100_000;

// How many of the longest unused buckets are looked at to find one that is full by now.
const LOOK_AT = 16;

/** The buckets of one process, the least recently used first. */
export class MemoryLimiter implements Limiter {
  readonly #kept = new Map<string, Held>();

  constructor(readonly size: number = DEFAULT_SIZE) {}

  take(keyId: string, policy: Policy, nowMs: number): Verdict {
    const kept = this.#kept.get(keyId);
    const verdict = take(kept?.bucket, policy, nowMs);
    const { bucket } = verdict;
    // While there is much room, nobody has to be forgotten, and the order does not matter.
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

  /** Seconds until a request would pass; 0 when it would now. Charges nothing. */
  wait(keyId: string, policy: Policy, nowMs: number): number {
    return secondsToToken(this.#kept.get(keyId)?.bucket, policy, nowMs);
  }

  /** Makes room: one that is full, which loses nothing; failing that, the longest unused. */
  #evict(nowMs: number): void {
    let victim: string | undefined;
    let looked = 0;
    for (const [keyId, { bucket, policy }] of this.#kept) {
      victim ??= keyId;
      if (isFull(bucket, policy, nowMs)) {
        victim = keyId;
        break;
      }
      if (++looked === LOOK_AT) break;
    }
    if (victim !== undefined) this.#kept.delete(victim);
  }
}

/** The headers of every authenticated response. */
export type LimitHeaders = Record<
  | "RateLimit-Policy"
  | "RateLimit"
  | "X-RateLimit-Limit"
  | "X-RateLimit-Remaining"
  | "X-RateLimit-Reset",
  string
>;

export function limitHeaders(policy: Policy, { remaining, resetSeconds }: Verdict): LimitHeaders {
  // The window is the time in which a whole quota flows in: 60 seconds when burst equals rate.
  const window = Math.ceil((policy.burst * 60) / policy.rate);
  return {
    "RateLimit-Policy": `"default";q=${policy.burst};w=${window}`,
    RateLimit: `"default";r=${remaining};t=${resetSeconds}`,
    "X-RateLimit-Limit": String(policy.burst),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(resetSeconds),
  };
}
