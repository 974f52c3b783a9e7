/** In charge of each key's rate limit, and of the headers that tell the caller about it. */

import type { Awaitable } from "../domain/awaitable.ts";
import { type Bucket, isFull, type Policy, secondsToToken, take, type Verdict } from "./bucket.ts";

/** Where the buckets are kept may be elsewhere, shared by several instances: callers await. */
export interface Limiter {
  /** Charges one request to the key. `nowMs` is monotonic, in milliseconds. */
  take(keyId: string, policy: Policy, nowMs: number): Awaitable<Verdict>;
}

interface Kept {
  bucket: Bucket;
  policy: Policy;
}

const DEFAULT_SIZE = 100_000;

// How many of the longest unused buckets are looked at to find one that is full by now.
const LOOK_AT = 16;

/** The buckets of one process, the least recently used first. */
export class MemoryLimiter implements Limiter {
  readonly #kept = new Map<string, Kept>();

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

/** The headers of every authenticated reply. */
export function limitHeaders(policy: Policy, verdict: Verdict): Record<string, string> {
  // The window is the time in which a whole quota flows in: 60 seconds when burst equals rate.
  const window = Math.ceil((policy.burst * 60) / policy.rate);
  const remaining = String(verdict.remaining);
  const reset = String(verdict.resetSeconds);
  const headers: Record<string, string> = {
    "RateLimit-Policy": `"default";q=${policy.burst};w=${window}`,
    RateLimit: `"default";r=${remaining};t=${reset}`,
    "X-RateLimit-Limit": String(policy.burst),
    "X-RateLimit-Remaining": remaining,
    "X-RateLimit-Reset": reset,
  };
  if (!verdict.allowed) headers["Retry-After"] = String(verdict.retryAfterSeconds);
  return headers;
}
