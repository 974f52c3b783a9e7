/** In charge of the arithmetic of one token bucket, on a clock that is passed in. */

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
