/** In charge of letting a caller in: whose key it is, whether its limits leave room, which shards it may read. */

import type { LiveKey } from "../access/key-lookup.ts";
import { limitHeaders } from "../access/rate-limit.ts";
import { secondsToNextDay } from "../access/usage.ts";
import { sheetHash } from "../document/sheet.ts";
import type { Fragment } from "../store/store.ts";
import type { Call } from "./call.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { Service } from "./serving.ts";

/** The key of the request. Keys in use are let in at once; others only if their sender may guess on. */
export function authenticate(service: Service, call: Call): LiveKey {
  const { keys, guard, clock, profile } = service;
  const header = profile.authorization(call.request.headers.get("authorization"));
  const known = keys.recent(header, call.time);
  if (known) return known;
  if (header === null) throw unauthorized();
  const address = call.client();
  const wait = guard.wait(address, clock.monotonic());
  if (wait > 0) throw tooManyFailures(wait);
  const key = keys.find(header, call.time);
  if (key) return key;
  guard.failed(address, clock.monotonic());
  throw unauthorized();
}

/** Charges the request to the key; `began` is monotonic. The headers that tell of it come back, or go with the refusal. */
export async function limitRate(
  { limiter }: Service,
  key: LiveKey,
  began: number,
): Promise<Record<string, string>> {
  const { allowance } = key;
  const verdict = await limiter.take(key.id, allowance, began);
  const headers = limitHeaders(allowance, verdict);
  if (verdict.allowed) return headers;
  throw refuse(
    "rate-limited",
    `This key may send ${allowance.rate} requests a minute. Wait ${verdict.retryAfterSeconds} s before the next one.`,
    { headers },
  );
}

/** Refuses a key that has spent its day's budget, before any work is done for it. */
export async function checkBudget({ budgets }: Service, key: LiveKey, now: number): Promise<void> {
  const most = key.allowance.matchesPerDay;
  if (most > 0 && (await budgets.isExceeded(key.id, most, now))) throw budgetSpent(most, now);
}

/** Counts matches that are about to be served against the key's budget. */
export async function spendBudget(
  { budgets }: Service,
  key: LiveKey,
  sheets: readonly Fragment[],
  now: number,
): Promise<void> {
  const most = key.allowance.matchesPerDay;
  if (most === 0 || sheets.length === 0) return;
  const allowed = await budgets.consume(key.id, sheets.map(sheetHash), most, now);
  if (!allowed) throw budgetSpent(most, now);
}

export function checkShard(service: Service, key: LiveKey, shard: string): void {
  if (service.keys.mayRead(key, shard)) return;
  throw refuse(
    "shard-closed",
    "This shard is open to invited keys only. Ask whoever runs this service, or choose another shard: /status lists them.",
  );
}

function unauthorized(): Refusal {
  return refuse(
    "unauthorized",
    'Send the header "Authorization: Bearer <API_KEY>" with a key that is in force.',
    { source: { header: "Authorization" }, headers: { "WWW-Authenticate": "Bearer" } },
  );
}

function tooManyFailures(wait: number): Refusal {
  return refuse(
    "too-many-failures",
    `Too many wrong API keys came from your address. Wait ${wait} s, check the key, and try again.`,
    { source: { header: "Authorization" }, headers: { "Retry-After": String(wait) } },
  );
}

function budgetSpent(most: number, now: number): Refusal {
  const wait = secondsToNextDay(now);
  return refuse(
    "budget-spent",
    `This key may read ${most} different matches a day (UTC), and these are used up for ${wait} s more. ` +
      "Collecting all matches is not what this service is for: ask for the players you show, with filter[playerIds] or filter[playerNames], " +
      "keep what you have read (matches hardly ever change, and If-None-Match costs nothing of the budget), and see /usage. " +
      "If that is not enough, ask whoever runs this service for another tier.",
    { headers: { "Retry-After": String(wait) } },
  );
}
