/**
 * Limits failed key attempts: how many wrong keys each client address may send. An address that has sent
 * too many is refused for a while, keys in use aside: behind one address there may be many callers, and
 * one of them must not be able to lock out the others.
 */

import { isIPv6 } from "node:net";
import { MemoryLimiter, type Policy } from "./rate-limit.ts";

/** Where failures are counted may be elsewhere, shared by several processes. `nowMs` is monotonic. */
export interface Failures {
  take(address: string, policy: Policy, nowMs: number): unknown;
  /** Seconds until one more may be taken; 0: now. */
  wait(address: string, policy: Policy, nowMs: number): number;
}

export class FailureGuard {
  readonly #failures: Failures;
  readonly #policy: Policy | undefined;

  /** `perMinute` of 0: nobody is ever stopped. */
  constructor(perMinute: number, failures: Failures = new MemoryLimiter()) {
    this.#policy = perMinute === 0 ? undefined : { rate: perMinute, burst: perMinute };
    this.#failures = failures;
  }

  /** Seconds until the address may show another key; 0: now. `nowMs` is monotonic. */
  wait(address: string, nowMs: number): number {
    return this.#policy ? this.#failures.wait(networkOf(address), this.#policy, nowMs) : 0;
  }

  failed(address: string, nowMs: number): void {
    if (this.#policy) this.#failures.take(networkOf(address), this.#policy, nowMs);
  }
}

/** Of an IPv6 address the first half: whoever has one address there has all of that network. */
function networkOf(address: string): string {
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
