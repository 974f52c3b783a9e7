/** Limits by client address: on invalid keys, and on requests that need no key. */

import { isIPv6 } from "node:net";
import { MemoryLimiter, type Policy, type Verdict } from "./rate-limit.ts";

/** The buckets may be in shared memory. `nowMs` is monotonic. */
export interface AddressLimiter {
  take(address: string, policy: Policy, nowMs: number): Verdict;
  /** Seconds until one more is allowed; 0: now. */
  wait(address: string, policy: Policy, nowMs: number): number;
}

/**
 * Limits how many invalid keys a client address may send. After too many, the address is refused
 * for a while, except for keys in use: many callers can share an address, and one must not lock out
 * the others.
 */
export class FailureGuard {
  readonly #failures: AddressLimiter;
  readonly #policy: Policy | undefined;

  /** A twentieth of the requests without a valid key may have an invalid one. 0: unlimited. */
  constructor(openRequests: number, failures: AddressLimiter = new MemoryLimiter()) {
    const perMinute = Math.ceil(openRequests / 20);
    this.#policy = perMinute === 0 ? undefined : { rate: perMinute, burst: perMinute };
    this.#failures = failures;
  }

  /** Seconds until the address may send another key; 0: now. `nowMs` is monotonic. */
  wait(address: string, nowMs: number): number {
    return this.#policy ? this.#failures.wait(networkOf(address), this.#policy, nowMs) : 0;
  }

  failed(address: string, nowMs: number): void {
    if (this.#policy) this.#failures.take(networkOf(address), this.#policy, nowMs);
  }
}

/** Limits the requests without a valid key. */
export class OpenRequestLimit {
  /** 0: unlimited. */
  constructor(
    readonly perMinute: number,
    private readonly buckets: AddressLimiter = new MemoryLimiter(),
  ) {}

  /** Counts a request. Seconds until the address may send another; 0: this one is allowed. */
  take(address: string, nowMs: number): number {
    if (this.perMinute === 0) return 0;
    const policy = { rate: this.perMinute, burst: this.perMinute };
    const { allowed, retryAfterSeconds } = this.buckets.take(networkOf(address), policy, nowMs);
    return allowed ? 0 : Math.max(1, retryAfterSeconds);
  }
}

/** For IPv6, the /64 network: its owner controls all addresses in it. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.replace(/%.*$/, "").split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const missing = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array<string>(Math.max(0, missing)).fill("0"), ...last];
  return groups
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ""))
    .join(":");
}
