/** In charge of rate limits that several instances share: the buckets are in Redis. */

import { type Policy, type Verdict, verdictOn } from "../bucket.ts";
import type { Limiter } from "../limiter.ts";
import type { RedisLink } from "./link.ts";
import { TAKE } from "./scripts.ts";

export class RedisLimiter implements Limiter {
  readonly #link: RedisLink;
  readonly #local: Limiter;

  /** `local` decides while Redis is away. It hears of what Redis allows, and so knows where to go on. */
  constructor(link: RedisLink, local: Limiter) {
    this.#link = link;
    this.#local = local;
  }

  take(keyId: string, policy: Policy, nowMs: number): Verdict | Promise<Verdict> {
    const locally = () => this.#local.take(keyId, policy, nowMs);
    return this.#link.decide(
      TAKE,
      [`matchbook:{${keyId}}:bucket`],
      [policy.rate, policy.burst],
      async (answer) => {
        const [allowed, drops] = answer as [number, number];
        if (allowed === 1) await locally();
        return verdictOn(allowed === 1, drops, policy);
      },
      locally,
    );
  }
}
