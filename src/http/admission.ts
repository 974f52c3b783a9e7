/** Admission control: authentication, rate limit, daily quota, and access to shards. */

import type { LiveKey } from "../access/key-lookup.ts";
import { type LimitHeaders, limitHeaders, type Verdict } from "../access/rate-limit.ts";
import { secondsToNextDay } from "../access/usage.ts";
import { matchHash } from "../document/encoded-match.ts";
import type { ByteRange } from "../store/byte-range.ts";
import type { ServerContext } from "./context.ts";
import { type ApiError, apiError } from "./errors.ts";
import type { ApiRequest } from "./request.ts";

/** Returns the API key of the request. Clients that sent too many invalid keys have to wait. */
export function authenticate(context: ServerContext, request: ApiRequest): LiveKey {
  const { keys, guard, clock, profile } = context;
  const header = profile.authorization(request.raw.headers.get("authorization"));
  const known = keys.recent(header, request.time);
  if (known) return known;
  if (header === null) throw unauthorized();
  if (!keys.isLoaded) throw keysUnavailable();
  const address = request.clientAddress();
  const wait = guard.wait(address, clock.monotonic());
  if (wait > 0) throw tooManyFailures(wait);
  const key = keys.find(header, request.time);
  if (key) return key;
  guard.failed(address, clock.monotonic());
  throw unauthorized();
}

/**
 * How long the response to a request beyond the limit is held back. Refusing one takes about as long as a read
 * from the cache, so a client that ignores Retry-After must not be able to send the next one at once.
 */
const HOLD_BACK_MS = 100;

/**
 * Counts a request without a key, by IP address. Beyond the limit it is held back. Returns the seconds until the
 * address may send another; 0: this one is within the limit.
 */
export async function countKeyless(
  { openLimit, clock }: ServerContext,
  request: ApiRequest,
): Promise<number> {
  const wait = openLimit.take(request.clientAddress(), clock.monotonic());
  if (wait > 0) await Bun.sleep(HOLD_BACK_MS);
  return wait;
}

/** Limits the requests that need no key. Health checks are held back but never refused. */
export async function checkOpenRate(
  context: ServerContext,
  request: ApiRequest,
  isHealthCheck: boolean,
): Promise<void> {
  const wait = await countKeyless(context, request);
  if (wait === 0 || isHealthCheck) return;
  throw apiError(
    "rate-limited",
    `Without a key, an IP address may send ${context.openLimit.perMinute} requests per minute. Retry after ${wait} s.`,
    { headers: { "Retry-After": String(wait) } },
  );
}

/** Returns the headers that describe the rate limit, or rejects the request. */
export function checkRate({ limits }: LiveKey, verdict: Verdict): LimitHeaders {
  const headers = limitHeaders(limits, verdict);
  if (verdict.allowed) return headers;
  const wait = verdict.retryAfterSeconds;
  throw apiError(
    "rate-limited",
    `This key is limited to ${limits.rate} requests per minute. Retry after ${wait} s.`,
    { headers: { ...headers, "Retry-After": String(wait) } },
  );
}

/** Rejects a key that has exceeded its daily quota, before any work is done. */
export async function checkQuota(
  { quotas }: ServerContext,
  key: LiveKey,
  now: number,
): Promise<void> {
  const most = key.limits.matchesPerDay;
  if (await quotas.isExceeded(key.id, most, now)) throw quotaExceeded(most, now);
}

/** Counts the matches in a response against the daily quota of the key. */
export async function consumeQuota(
  { quotas }: ServerContext,
  key: LiveKey,
  matches: readonly ByteRange[],
  now: number,
): Promise<void> {
  const most = key.limits.matchesPerDay;
  if (matches.length === 0) return;
  const allowed = await quotas.consume(key.id, matches.map(matchHash), most, now);
  if (!allowed) throw quotaExceeded(most, now);
}

export function checkShard(context: ServerContext, key: LiveKey, shard: string): void {
  if (context.keys.mayRead(key, shard)) return;
  throw apiError(
    "shard-closed",
    "This key has no access to this shard. Ask the operator for access, or use another shard: GET /status lists them.",
  );
}

function unauthorized(): ApiError {
  return apiError(
    "unauthorized",
    'Send the header "Authorization: Bearer <API_KEY>" with a valid key. The key may be mistyped, expired or revoked.',
    { source: { header: "Authorization" }, headers: { "WWW-Authenticate": "Bearer" } },
  );
}

function keysUnavailable(): ApiError {
  return apiError(
    "keys-unavailable",
    "API keys cannot be checked at the moment. Your key may be valid: retry after 5 s.",
    { headers: { "Retry-After": "5" } },
  );
}

function tooManyFailures(wait: number): ApiError {
  return apiError(
    "too-many-failures",
    `Too many invalid API keys came from your IP address. Check the key and retry after ${wait} s.`,
    { source: { header: "Authorization" }, headers: { "Retry-After": String(wait) } },
  );
}

function quotaExceeded(most: number, now: number): ApiError {
  const wait = secondsToNextDay(now);
  return apiError(
    "quota-exceeded",
    `This key has read its ${most} different matches for today (UTC). The quota resets in ${wait} s. ` +
      "Request only the players you show, with filter[playerIds] or filter[playerNames], and keep the matches you have read: " +
      "they rarely change, and a 304 response to If-None-Match does not count. GET /usage shows your quota. " +
      "If you need more, ask the operator for another tier.",
    { headers: { "Retry-After": String(wait) } },
  );
}
