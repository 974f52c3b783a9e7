/** Admission: authenticates the key, applies its rate limit and daily quota, and checks its shards. */

import type { LiveKey } from "../access/key-lookup.ts";
import { limitHeaders } from "../access/rate-limit.ts";
import { secondsToNextDay } from "../access/usage.ts";
import { matchHash } from "../document/encoded-match.ts";
import type { Fragment } from "../store/store.ts";
import type { ServerContext } from "./context.ts";
import { type ApiError, apiError } from "./errors.ts";
import type { ApiRequest } from "./request.ts";

/** The key of the request. Recently used keys pass at once; others only if the client has not failed too often. */
export function authenticate(context: ServerContext, request: ApiRequest): LiveKey {
  const { keys, guard, clock, profile } = context;
  const header = profile.authorization(request.raw.headers.get("authorization"));
  const known = keys.recent(header, request.time);
  if (known) return known;
  if (header === null) throw unauthorized();
  const address = request.clientAddress();
  const wait = guard.wait(address, clock.monotonic());
  if (wait > 0) throw tooManyFailures(wait);
  const key = keys.find(header, request.time);
  if (key) return key;
  guard.failed(address, clock.monotonic());
  throw unauthorized();
}

/** Charges the request to the key; `began` is monotonic. Returns the limit headers, which an error carries too. */
export async function limitRate(
  { limiter }: ServerContext,
  key: LiveKey,
  began: number,
): Promise<Record<string, string>> {
  const { limits } = key;
  const verdict = await limiter.take(key.id, limits, began);
  const headers = limitHeaders(limits, verdict);
  if (verdict.allowed) return headers;
  throw apiError(
    "rate-limited",
    `This key may send ${limits.rate} requests a minute. Wait ${verdict.retryAfterSeconds} s before the next one.`,
    { headers },
  );
}

/** Rejects a key whose daily quota is used up, before any work is done for it. */
export async function checkQuota(
  { quotas }: ServerContext,
  key: LiveKey,
  now: number,
): Promise<void> {
  const most = key.limits.matchesPerDay;
  if (most > 0 && (await quotas.isExceeded(key.id, most, now))) throw quotaExceeded(most, now);
}

/** Counts matches that are about to be served against the daily quota of the key. */
export async function consumeQuota(
  { quotas }: ServerContext,
  key: LiveKey,
  matches: readonly Fragment[],
  now: number,
): Promise<void> {
  const most = key.limits.matchesPerDay;
  if (most === 0 || matches.length === 0) return;
  const allowed = await quotas.consume(key.id, matches.map(matchHash), most, now);
  if (!allowed) throw quotaExceeded(most, now);
}

export function checkShard(context: ServerContext, key: LiveKey, shard: string): void {
  if (context.keys.mayRead(key, shard)) return;
  throw apiError(
    "shard-closed",
    "This shard is open to invited keys only. Ask whoever runs this context, or choose another shard: /status lists them.",
  );
}

function unauthorized(): ApiError {
  return apiError(
    "unauthorized",
    'Send the header "Authorization: Bearer <API_KEY>" with a key that is in force.',
    { source: { header: "Authorization" }, headers: { "WWW-Authenticate": "Bearer" } },
  );
}

function tooManyFailures(wait: number): ApiError {
  return apiError(
    "too-many-failures",
    `Too many wrong API keys came from your address. Wait ${wait} s, check the key, and try again.`,
    { source: { header: "Authorization" }, headers: { "Retry-After": String(wait) } },
  );
}

function quotaExceeded(most: number, now: number): ApiError {
  const wait = secondsToNextDay(now);
  return apiError(
    "quota-exceeded",
    `This key may read ${most} different matches a day (UTC), and these are used up for ${wait} s more. ` +
      "Collecting all matches is not what this context is for: ask for the players you show, with filter[playerIds] or filter[playerNames], " +
      "keep what you have read (matches hardly ever change, and If-None-Match costs nothing of the quota), and see /usage. " +
      "If that is not enough, ask whoever runs this context for another tier.",
    { headers: { "Retry-After": String(wait) } },
  );
}
