/** In charge of what a caller learns about their own key: limits, today, the last days. */

import type { LiveKey } from "../access/key-lookup.ts";
import { matchesLeft } from "../access/quota.ts";
import { dayOf, type KeyDay, secondsToNextDay, writtenDay } from "../access/usage.ts";
import { formatTimestamp } from "../domain/time.ts";
import type { ServiceAnswer } from "./service.ts";
import type { Service } from "./serving.ts";

/** How many days are told, today included. */
const DAYS = 30;

export type KeyEndpoint = (service: Service, key: LiveKey) => Promise<ServiceAnswer>;

export async function usage(
  service: Service,
  { id, name, allowance }: LiveKey,
): Promise<ServiceAnswer> {
  const now = service.clock.now();
  const today = dayOf(now);
  const days = await service.usage.daysOf(id, today - DAYS + 1);
  const { tier, rate, burst, matchesPerDay, shards } = allowance;
  const matches = await service.budgets.count(id, now);
  const isSpent = await service.budgets.isExceeded(id, matchesPerDay, now);
  return {
    status: 200,
    body: {
      key: { id, name, tier },
      limits: {
        requestsPerMinute: rate,
        burst,
        matchesPerDay: matchesPerDay === 0 ? null : matchesPerDay,
        shards,
      },
      today: {
        day: writtenDay(today),
        matches,
        matchesLeft: matchesLeft(matchesPerDay, matches, isSpent),
        resetSeconds: secondsToNextDay(now),
      },
      days: days.map(describeDay),
    },
  };
}

/** A day as programs read it, here and on the command line. */
export function describeDay({ day, requests, records, lastSeen }: KeyDay) {
  return {
    day: writtenDay(day),
    requests: Object.fromEntries([...requests].sort(([one], [other]) => one - other)),
    records,
    lastSeen: formatTimestamp(lastSeen),
  };
}
