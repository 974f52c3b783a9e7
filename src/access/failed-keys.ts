/** Limits by client address: on invalid keys, and on requests that need no key. */

import { isIPv6 } from "node:net";
import { MemoryLimiter, type Policy } from "./rate-limit.ts";

/** The buckets may be in shared memory. */
export type AddressLimiter = Pick<MemoryLimiter, "take" | "wait">;

/** Limits what a client address may send: requests without a valid key, or invalid keys. */
export class AddressLimit {
  readonly #policy: Policy | undefined;

  /** 0: unlimited. */
  constructor(
    readonly perMinute: number,
    private readonly buckets: AddressLimiter = new MemoryLimiter(),
  ) {
    if (perMinute > 0) this.#policy = { rate: perMinute, burst: perMinute };
  }

  /** Counts one. Seconds until the address may send another; 0: this one is allowed. `nowMs` is monotonic. */
  take(address: string, nowMs: number): number {
    if (!this.#policy) return 0;
    const { allowed, retryAfterSeconds } = this.buckets.take(
      networkOf(address),
      this.#policy,
      nowMs,
    );
    return allowed ? 0 : Math.max(1, retryAfterSeconds);
  }

  /** Seconds until the address may send another; 0: now. Counts nothing. */
  wait(address: string, nowMs: number): number {
    return this.#policy ? this.buckets.wait(networkOf(address), this.#policy, nowMs) : 0;
  }
}

/**
 * A twentieth of the requests without a valid key may have an invalid one. After too many, the address is refused for a
 * while, except for keys in use: many callers can share an address, and one must not lock out the others.
 */
export const invalidKeyLimit = (openRequests: number, buckets?: AddressLimiter): AddressLimit =>
  new AddressLimit(Math.ceil(openRequests / 20), buckets);

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
