/** Rate limits and daily quotas that several instances share through Redis. */

import type { Quotas } from "../quota.ts";
import { type Limiter, type Policy, type Verdict, verdictOn } from "../rate-limit.ts";
import { dayOf, secondsToNextDay } from "../usage.ts";
import type { RedisLink } from "./link.ts";
import { CONSUME, COUNT, TAKE } from "./scripts.ts";

/** Days are kept after their end, because clocks of instances differ. */
const AFTER_THE_DAY_MS = 3_600_000;

export class RedisLimiter implements Limiter {
  /** `local` decides while Redis is unavailable. It is kept up to date with what Redis allows. */
  constructor(
    private readonly link: RedisLink,
    private readonly local: Limiter,
  ) {}

  take(keyId: string, policy: Policy, nowMs: number): Verdict | Promise<Verdict> {
    const locally = () => this.local.take(keyId, policy, nowMs);
    return this.link.decide(
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

/**
 * This instance also counts what it serves itself. It can therefore continue when Redis becomes
 * unavailable, and a Redis that loses its data does not reset everyone's quota.
 */
export class RedisQuotas implements Quotas {
  constructor(
    private readonly link: RedisLink,
    private readonly local: Quotas,
  ) {}

  async consume(
    keyId: string,
    matches: readonly number[],
    quota: number,
    nowMs: number,
  ): Promise<boolean> {
    const locally = (most: number) => this.local.consume(keyId, matches, most, nowMs);
    // A quota of 0 allows only what was counted before.
    if (await locally(0)) return true;
    const most = (await this.local.count(keyId, nowMs)) < quota ? quota : 0;
    const lasts = secondsToNextDay(nowMs) * 1000 + AFTER_THE_DAY_MS;
    return this.link.decide(
      CONSUME,
      [setOf(keyId, nowMs)],
      [most, lasts, ...matches],
      (answer) => answer === 1 && locally(Number.POSITIVE_INFINITY),
      () => locally(quota),
    );
  }

  async count(keyId: string, nowMs: number): Promise<number> {
    const own = await this.local.count(keyId, nowMs);
    const shared = await this.link.decide(COUNT, [setOf(keyId, nowMs)], [], Number, () => own);
    return Math.max(own, shared);
  }
}

/** The braces keep the keys of a counter on the same node of a Redis cluster. */
const setOf = (keyId: string, nowMs: number): string =>
  `matchbook:{${keyId}}:${dayOf(nowMs)}:counted`;
