/**
 * Portal visitors: short-lived tokens that give the portal limited access without a key. A token identifies nobody;
 * requests with one are limited by client address.
 */

import { randomBytes, timingSafeEqual } from "node:crypto";
import type { EffectiveLimits } from "../domain/limits.ts";
import { networkOf } from "./failed-keys.ts";
import { BEARER } from "./key.ts";
import type { LiveKey } from "./key-lookup.ts";
import { MemoryQuotas, type Quotas } from "./quota.ts";
import { type Limiter, MemoryLimiter } from "./rate-limit.ts";

/** Under which the requests of all visitors are counted and logged. No key has such an id. */
export const VISITORS = { id: "visitors", name: "portal visitors" } as const;

/** Unlike the prefix of keys, so that nobody takes a token for one. */
const PREFIX = "mbv_";
const TOKEN = /^mbv_([0-9a-z]{1,10})_([A-Za-z0-9_-]{43})$/;
const MAX_HEADER_LENGTH = 128;

const MINUTE_MS = 60_000;
/** At least; a token ends with a full minute, so that all tokens of a minute are the same. */
const LIFETIME_MS = 15 * MINUTE_MS;

/** Addresses whose matches of the day are counted, in this process. Each takes up to 21 bytes per match of its quota. */
const MOST_COUNTED = 10_000;

/** What visitors are limited by. The rate may be counted together with other processes. */
export interface VisitorCounters {
  limiter: Limiter;
  quotas: Quotas;
}

export const localCounters = (limiter: Limiter = new MemoryLimiter()): VisitorCounters => ({
  limiter,
  quotas: new MemoryQuotas(undefined, MOST_COUNTED),
});

export const randomSecret = (): string => randomBytes(32).toString("base64url");

export class Visitors {
  /** Processes with the same secret accept each other's tokens, and count an address under the same id. */
  constructor(
    private readonly secret: string,
    private readonly limits: EffectiveLimits,
    readonly counters: VisitorCounters,
  ) {}

  issue(now: number): { token: string; expiresAt: number } {
    const expiresAt = Math.ceil((now + LIFETIME_MS) / MINUTE_MS) * MINUTE_MS;
    return { token: this.#tokenUntil(expiresAt), expiresAt };
  }

  /** Whether the header has a visitor token, valid or not. */
  isToken(authorization: string): boolean {
    return authorization.length <= MAX_HEADER_LENGTH && tokenIn(authorization) !== undefined;
  }

  /** Undefined if the token is forged or expired. */
  find(authorization: string, address: string, now: number): LiveKey | undefined {
    const token = tokenIn(authorization) ?? "";
    const [, end = ""] = TOKEN.exec(token) ?? [];
    const expiresAt = Number.parseInt(end, 36) * MINUTE_MS;
    if (Number.isNaN(expiresAt) || now >= expiresAt) return undefined;
    const expected = Buffer.from(this.#tokenUntil(expiresAt));
    const given = Buffer.from(token);
    const isOurs = given.length === expected.length && timingSafeEqual(given, expected);
    return isOurs ? this.at(address) : undefined;
  }

  /** A visitor without a token, for whom the server reads something itself. */
  at(address: string): LiveKey {
    // Hashed with the secret: Redis need not know who visits.
    const limitedBy = `visitor-${this.#sign(`address ${networkOf(address)}`).slice(0, 22)}`;
    return { ...VISITORS, limits: this.limits, limitedBy };
  }

  #tokenUntil(expiresAt: number): string {
    const end = (expiresAt / MINUTE_MS).toString(36);
    return `${PREFIX}${end}_${this.#sign(`token ${end}`)}`;
  }

  #sign(text: string): string {
    return new Bun.CryptoHasher("sha256", this.secret).update(text).digest("base64url");
  }
}

function tokenIn(authorization: string): string | undefined {
  const token = BEARER.exec(authorization)?.[1];
  return token?.startsWith(PREFIX) ? token : undefined;
}
