/** Rate limits and daily quotas that several instances share through Redis. */

import type { Hash } from "../distinct-count.ts";
import type { Quotas } from "../quota.ts";
import { type Limiter, type Policy, type Verdict, verdictOn } from "../rate-limit.ts";
import { dayOf, secondsToNextDay } from "../usage.ts";
import type { RedisLink } from "./link.ts";
import { CONSUME, COUNT, IS_EXCEEDED, TAKE } from "./scripts.ts";

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
 * This instance also counts what it serves itself, and both counters must allow a request. It can
 * therefore continue when Redis becomes unavailable, and a Redis that loses its data does not reset
 * everyone's quota.
 */
export class RedisQuotas implements Quotas {
  constructor(
    private readonly link: RedisLink,
    private readonly local: Quotas,
  ) {}

  async isExceeded(keyId: string, most: number, nowMs: number): Promise<boolean> {
    if (await this.local.isExceeded(keyId, most, nowMs)) return true;
    const { exceeded } = keysOf(keyId, nowMs);
    return this.link.decide(IS_EXCEEDED, [exceeded], [most], isOne, () => false);
  }

  async consume(
    keyId: string,
    records: readonly Hash[],
    most: number,
    nowMs: number,
  ): Promise<boolean> {
    if (records.length === 0) return true;
    const { exact, sketch, exceeded } = keysOf(keyId, nowMs);
    const lasts = secondsToNextDay(nowMs) * 1000 + AFTER_THE_DAY_MS;
    const values = [most, lasts, ...records.map(written)];
    const isAllowed = await this.link.decide(
      CONSUME,
      [exact, sketch, exceeded],
      values,
      isOne,
      () => true,
    );
    return isAllowed && this.local.consume(keyId, records, most, nowMs);
  }

  async count(keyId: string, nowMs: number): Promise<number> {
    const own = await this.local.count(keyId, nowMs);
    const { exact, sketch } = keysOf(keyId, nowMs);
    const shared = await this.link.decide(COUNT, [exact, sketch], [], Number, () => own);
    return Math.max(own, shared);
  }
}

/** The braces keep the keys of a counter on the same node of a Redis cluster. */
function keysOf(keyId: string, nowMs: number) {
  const day = `matchbook:{${keyId}}:${dayOf(nowMs)}`;
  return { exact: `${day}:matches`, sketch: `${day}:sketch`, exceeded: `${day}:spent` };
}

const written = ({ high, low }: Hash): string =>
  high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");

const isOne = (answer: unknown): boolean => answer === 1;
