/** GET /usage: the limits and usage of the caller's key, or the limits of a portal visitor. */

import { type LiveKey, limitId } from "../access/key-lookup.ts";
import { matchesLeft } from "../access/quota.ts";
import { dayOf, type KeyDay, secondsToNextDay, writtenDay } from "../access/usage.ts";
import { formatTimestamp } from "../domain/time.ts";
import { countersOf } from "./admission.ts";
import type { ServerContext } from "./context.ts";
import type { JsonResult } from "./status.ts";

/** How many days are shown, including today. */
const DAYS = 30;

export type KeyEndpoint = (context: ServerContext, key: LiveKey) => Promise<JsonResult>;

export async function usage(context: ServerContext, key: LiveKey): Promise<JsonResult> {
  const { id, name, limits, limitedBy } = key;
  const now = context.clock.now();
  const today = dayOf(now);
  // The usage of all visitors together is for operators only.
  const days = limitedBy === undefined ? await context.usage.read(today - DAYS + 1, id) : [];
  const { tier, rate, burst, matchesPerDay, shards, streams, changesPerMinute } = limits;
  const { quotas } = countersOf(context, key);
  const matches = await quotas.count(limitId(key), now);
  return {
    status: 200,
    body: {
      key: { id, name, tier },
      limits: {
        requestsPerMinute: rate,
        burst,
        matchesPerDay: matchesPerDay === 0 ? null : matchesPerDay,
        shards,
        streams,
        changesPerMinute,
      },
      today: {
        day: writtenDay(today),
        matches,
        matchesLeft: matchesLeft(matchesPerDay, matches),
        resetSeconds: secondsToNextDay(now),
      },
      days: days.map(describeDay),
    },
  };
}

/** A day in JSON, here and on the command line. */
export function describeDay({ day, requests, records, lastSeen }: KeyDay) {
  return {
    day: writtenDay(day),
    requests: Object.fromEntries([...requests].sort(([one], [other]) => one - other)),
    records,
    lastSeen: formatTimestamp(lastSeen),
  };
}
