/**
 * In charge of counting wrong keys by client address, over all workers. Addresses are not written
 * down: each has the bucket that its hash leads to. Two of them meet in one bucket once in a million
 * times, and then share what both may do wrong; nobody can aim at that, since the seed is secret.
 */

import type { Failures } from "../access/failed-keys.ts";
import type { Policy } from "../access/rate-limit.ts";
import type { SharedBuckets } from "./buckets.ts";

export class SharedFailures implements Failures {
  readonly #buckets: SharedBuckets;
  readonly #seed: bigint;

  constructor(buckets: SharedBuckets, seed: bigint) {
    this.#buckets = buckets;
    this.#seed = seed;
  }

  take(address: string, policy: Policy, nowMs: number): void {
    this.#buckets.take(this.#placeOf(address), policy, nowMs);
  }

  wait(address: string, policy: Policy, nowMs: number): number {
    return this.#buckets.wait(this.#placeOf(address), policy, nowMs);
  }

  #placeOf(address: string): number {
    const hash = Bun.hash.wyhash(address, this.#seed);
    return Number(hash % BigInt(this.#buckets.count));
  }
}
