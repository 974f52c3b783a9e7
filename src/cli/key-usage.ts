/** `matchbook keys usage`: prints requests, errors and records by UTC day. */

import { type KeyRecord, stateOf } from "../access/key-store.ts";
import { dayOf, type KeyDay, writtenDay } from "../access/usage.ts";
import { KEPT_DAYS } from "../access/usage-store.ts";
import { VISITORS } from "../access/visitors.ts";
import { effectiveLimits, VISITOR_TIER } from "../domain/limits.ts";
import { describeDay } from "../http/usage.ts";
import { type AccessStore, accessPlan } from "../open-access.ts";
import type { Settings } from "../settings/definitions.ts";
import { wholeNumber } from "../settings/parsers.ts";
import { defineCommand, flagValue } from "./command.ts";
import {
  existingKey,
  KEY,
  keysIn,
  lastSeenIn,
  noKeysYet,
  usageIn,
  withAccess,
} from "./key-store.ts";
import { age, table } from "./table.ts";

interface UsedKey {
  id: string;
  /** Undefined for portal visitors, and if the key was deleted. */
  record: KeyRecord | undefined;
  days: readonly KeyDay[];
}

export const usage = defineCommand<{ days: string }>({
  name: "usage",
  description:
    "print requests, errors and records by UTC day, for one key or for all keys, most used first.\n" +
    "Running servers store their counts every two seconds.",
  arguments: { "[id]": `${KEY["<id>"]}, or ${VISITORS.id} for portal visitors` },
  options: { "--days <N>": ["number of days, including today", "30"] },
  json: "print JSON: one object for one key, otherwise an array; days without requests are omitted",
  settings: ["keys-database"],
  examples: {
    "matchbook keys usage": "all keys, last 30 days",
    "matchbook keys usage k_3fGh7Kq0Zx --days 7": "one key, one row per day",
    "matchbook keys usage --json": "print JSON",
  },
  run({ settings, flags }, id: string | undefined) {
    const length = flagValue("--days", flags.days, wholeNumber(1, KEPT_DAYS));
    const now = Date.now();
    const since = dayOf(now) - length + 1;
    return withAccess(settings, "read", async (access) => {
      if (id === undefined) return ofAllKeys(settings, access, since, now);
      const record = id === VISITORS.id ? undefined : await existingKey(settings, access.keys, id);
      const days = await daysIn(access, since, id);
      return {
        json: asJson(settings, { id, record, days }),
        text: days.length > 0 ? tableOfDays(days) : "",
        none: `${id} was not used in the last ${length} days.`,
      };
    });
  },
});

const daysIn = ({ usage }: AccessStore, since: number, id?: string): Promise<KeyDay[]> =>
  usageIn(usage, [], (store) => store.read(since, id));

/** Most used first: used keys, including deleted ones, and unused live keys. */
async function ofAllKeys(settings: Settings, access: AccessStore, since: number, now: number) {
  const records = new Map((await keysIn(access.keys)).map((record) => [record.id, record]));
  const used = Map.groupBy(await daysIn(access, since), ({ keyId }) => keyId);
  const lastSeen = await lastSeenIn(access.usage);
  const keys: UsedKey[] = [...new Set([...used.keys(), ...records.keys()])]
    .map((id) => ({ id, record: records.get(id), days: used.get(id) ?? [] }))
    .filter(({ record, days }) => days.length > 0 || (record && stateOf(record, now) === "live"))
    .sort(
      (one, other) =>
        requestsIn(other.days) - requestsIn(one.days) ||
        (lastSeen.get(other.id) ?? 0) - (lastSeen.get(one.id) ?? 0),
    );
  const rows = keys.map(({ id, record, days }) => [
    id,
    id === VISITORS.id ? VISITORS.name : (record?.name ?? "(deleted)"),
    ...countsOf(days),
    lastSeen.has(id) ? age(now - lastSeen.get(id)!) : "never",
  ]);
  return {
    json: keys.map((key) => asJson(settings, key)),
    text: rows.length > 0 ? table([["ID", "NAME", ...COUNTS, "LAST USED"], ...rows]) : "",
    none: noKeysYet(settings),
  };
}

function asJson(settings: Settings, { id, record, days }: UsedKey): object {
  const tier = record ? effectiveLimits(accessPlan(settings), record.tier, record).tier : null;
  const key =
    id === VISITORS.id
      ? { ...VISITORS, tier: VISITOR_TIER }
      : { id, name: record?.name ?? null, tier };
  return { key, days: days.map(describeDay) };
}

const COUNTS = ["REQUESTS", "4XX", "5XX", "RECORDS"];

const tableOfDays = (days: readonly KeyDay[]): string =>
  table([
    ["DAY", ...COUNTS],
    ...days.map((day) => [writtenDay(day.day), ...countsOf([day])]),
    ["total", ...countsOf(days)],
  ]);

/** Requests, those with a 4xx status, those with a 5xx status, records. */
export function countsOf(days: readonly KeyDay[]): string[] {
  const records = days.reduce((sum, day) => sum + day.records, 0);
  return [requestsIn(days), requestsIn(days, 400), requestsIn(days, 500), records].map(String);
}

/** Requests of some days: all of them, or those with a status of one class (400, 500). */
function requestsIn(days: readonly KeyDay[], statusClass?: number): number {
  return days
    .flatMap(({ requests }) => [...requests])
    .filter(([status]) => statusClass === undefined || status - (status % 100) === statusClass)
    .reduce((sum, [, count]) => sum + count, 0);
}
