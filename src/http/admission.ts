/** Admission control: keys and portal visitors, rate limit, daily quota, and access to shards. */

import { type LiveKey, limitId } from "../access/key-lookup.ts";
import { type LimitHeaders, limitHeaders, type Verdict } from "../access/rate-limit.ts";
import { secondsToNextDay } from "../access/usage.ts";
import type { VisitorCounters } from "../access/visitors.ts";
import { type Awaitable, after } from "../domain/awaitable.ts";
import { type ApiError, apiError } from "../endpoint/errors.ts";
import type { ServerContext } from "./context.ts";
import type { ApiRequest } from "./request.ts";

/**
 * Returns the API key of the request, or the visitor whose token it has. Clients that sent too many invalid keys have to
 * wait.
 */
export function authenticate(context: ServerContext, request: ApiRequest): LiveKey {
  const { keys, guard, clock, profile, visitors } = context;
  const header = profile.authorization(request.raw.headers.get("authorization"));
  const known = keys.recent(header, request.time);
  if (known) return known;
  if (header === null) throw unauthorized();
  // Not counted as a guess: a signature cannot be guessed, and pages of honest visitors send expired tokens.
  if (visitors?.isToken(header)) {
    const visitor = visitors.find(header, request.clientAddress(), request.time);
    if (visitor) return visitor;
    throw unauthorized();
  }
  if (!keys.isLoaded) {
    throw apiError(
      "keys-unavailable",
      "API keys cannot be checked at the moment. Your key may be valid: retry after 5 s.",
      { retryAfter: 5 },
    );
  }
  const address = request.clientAddress();
  const wait = guard.wait(address, clock.monotonic());
  if (wait > 0) {
    throw apiError(
      "too-many-failures",
      `Too many invalid API keys came from your IP address. Check the key and retry after ${wait} s.`,
      { source: { header: "Authorization" }, retryAfter: wait },
    );
  }
  const key = keys.find(header, request.time);
  if (key) return key;
  guard.take(address, clock.monotonic());
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
    { retryAfter: wait },
  );
}

/** What the limits of a key or visitor are counted with. */
export const countersOf = (context: ServerContext, key: LiveKey): VisitorCounters =>
  key.limitedBy !== undefined && context.visitors ? context.visitors.counters : context;

/** Takes a request off the rate limit. */
export const takeRequest = (
  context: ServerContext,
  key: LiveKey,
  nowMs: number,
): Awaitable<Verdict> => countersOf(context, key).limiter.take(limitId(key), key.limits, nowMs);

/** Returns the headers that describe the rate limit, or rejects the request. */
export function checkRate({ limits, limitedBy }: LiveKey, verdict: Verdict): LimitHeaders {
  const headers = limitHeaders(limits, verdict);
  if (verdict.allowed) return headers;
  const wait = verdict.retryAfterSeconds;
  const most = `${limits.rate} requests per minute`;
  throw apiError(
    "rate-limited",
    limitedBy === undefined
      ? `This key is limited to ${most}. Retry after ${wait} s.`
      : `Without a key, the portal may send ${most} from your network. Retry after ${wait} s, or add an API key.`,
    { headers, retryAfter: wait },
  );
}

/** Counts the matches in a response against the daily quota of the key, or rejects the request. */
export function consumeQuota(
  context: ServerContext,
  key: LiveKey,
  matches: readonly number[] | undefined,
  now: number,
): Awaitable<void> {
  const { matchesPerDay } = key.limits;
  if (!matches?.length || matchesPerDay === 0) return;
  const { quotas } = countersOf(context, key);
  return after(quotas.consume(limitId(key), matches, matchesPerDay, now), (isAllowed) => {
    if (!isAllowed) throw quotaExceeded(key, now);
  });
}

export function checkShard(context: ServerContext, key: LiveKey, shard: string): void {
  if (context.keys.mayRead(key, shard)) return;
  throw apiError(
    "shard-closed",
    key.limitedBy === undefined
      ? "This key has no access to this shard. Ask the operator for access, or use another shard: GET /status lists them."
      : "This shard needs an API key that may read it. Add one, or use another shard: GET /status lists them.",
  );
}

function unauthorized(): ApiError {
  return apiError(
    "unauthorized",
    'Send the header "Authorization: Bearer <API_KEY>" with a valid key. The key may be mistyped, expired or revoked.',
    { source: { header: "Authorization" }, headers: { "WWW-Authenticate": "Bearer" } },
  );
}

function quotaExceeded({ limits, limitedBy }: LiveKey, now: number): ApiError {
  const wait = secondsToNextDay(now);
  const most = limits.matchesPerDay;
  return apiError(
    "quota-exceeded",
    limitedBy === undefined
      ? `This key has read its ${most} different matches for today (UTC). Those can still be read; others in ${wait} s. ` +
          "Request only the players you show, with filter[playerIds] or filter[playerNames], and keep the matches you have read: " +
          "they rarely change, and a 304 response to If-None-Match does not count. GET /usage shows your quota. " +
          "If you need more, ask the operator for another tier."
      : `Without a key, the portal may read ${most} different matches per day (UTC) from your network, and has. Those can still be read; others in ${wait} s, or now with an API key.`,
    { retryAfter: wait },
  );
}
