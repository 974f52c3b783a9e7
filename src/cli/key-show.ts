/** `matchbook keys show`: prints everything about one key. */

import { describeKey } from "../access/describe-key.ts";
import type { KeyRecord } from "../access/key-store.ts";
import { matchesLeft } from "../access/quota.ts";
import { dayOf, type KeyDay, requestsOf, writtenDay } from "../access/usage.ts";
import { type AccessPlan, tierNamed } from "../domain/limits.ts";
import { describeDay } from "../http/usage.ts";
import { accessPlan } from "../open-access.ts";
import { defineCommand } from "./command.ts";
import { existingKey, KEY, withAccess } from "./key-store.ts";
import { table } from "./table.ts";

const DAYS = 30;

export const show = defineCommand({
  name: "show",
  description:
    "print everything about one key: limits and what sets them, secrets, matches today, usage of the last 30 days (UTC).\n" +
    "Running servers store their counts every two seconds.",
  arguments: KEY,
  json: "print one JSON object; days without requests are omitted",
  settings: ["keys-database", "rate", "matches-per-day"],
  examples: { "matchbook keys show k_3fGh7Kq0Zx": "show one key" },
  run: ({ settings }, id: string) =>
    withAccess(settings, "read", async ({ keys, usage }) => {
      const now = Date.now();
      const today = dayOf(now);
      const plan = accessPlan(settings);
      const record = await existingKey(settings, keys, id);
      const lastSeen = (await usage.lastSeen()).get(id);
      const matchesToday = await usage.distinctMatches(today, id);
      const days = await usage.read(today - DAYS + 1, id);
      const key = describeKey(record, plan, lastSeen, now);
      const left = matchesLeft(key.allowance.matchesPerDay, matchesToday);
      const about = [...listing(key), ["matches today", `${matchesToday} of ${quotaOf(key)}`]];
      return {
        json: {
          ...key,
          today: { day: writtenDay(today), matches: matchesToday, matchesLeft: left },
          days: days.map(describeDay),
        },
        text: [table(about), ...(days.length > 0 ? [tableOfDays(days)] : [])].join("\n\n"),
        notes: unknownTiers(plan, [record]),
      };
    }),
});

type DescribedKey = ReturnType<typeof describeKey>;

const quotaOf = ({ allowance }: DescribedKey): string =>
  allowance.matchesPerDay === 0 ? "unlimited" : String(allowance.matchesPerDay);

/** Each limit is followed by what sets it: the key, or its tier. */
function listing(key: DescribedKey): string[][] {
  const { allowance } = key;
  const limit = (own: unknown, value: unknown) => `${value} (${own === null ? "tier" : "key"})`;
  return [
    ["id", key.id],
    ["name", key.name],
    ["note", key.note ?? ""],
    ["state", key.state],
    ["created", key.createdAt],
    ["expires", key.expiresAt ?? "never"],
    ["revoked", key.revokedAt ?? "no"],
    ["last used", key.lastSeen ?? "never"],
    ["tier", allowance.tier],
    ["rate", limit(key.rate, allowance.rate)],
    ["burst", limit(key.burst, allowance.burst)],
    ["matches per day", limit(key.matchesPerDay, quotaOf(key))],
    ["shards", limit(key.shards, allowance.shards.join(", "))],
    ["streams", String(allowance.streams)],
    ["changes per minute", String(allowance.changesPerMinute)],
    ...key.secrets.map(({ createdAt, expiresAt }) => [
      "secret",
      `created ${createdAt}, ${expiresAt === null ? "expires with the key" : `expires ${expiresAt}`}`,
    ]),
  ];
}

const tableOfDays = (days: readonly KeyDay[]): string =>
  table([
    ["DAY", "REQUESTS", "ERRORS", "RECORDS"],
    ...days.map((day) => [
      writtenDay(day.day),
      ...[requestsOf(day), requestsOf(day, 400), day.records].map(String),
    ]),
  ]);

/** What to do about keys whose tier does not exist. */
export function unknownTiers(plan: AccessPlan, records: readonly KeyRecord[]): string[] {
  const unknown = new Set(
    records.flatMap(({ tier }) => (tier === null || tierNamed(plan, tier) ? [] : [tier])),
  );
  if (unknown.size === 0) return [];
  return [
    `Unknown tier ${[...unknown].join(", ")}: keys with this tier get the limits of ${plan.tiers[0]!.name}. ` +
      "Change them with 'matchbook keys change ID --tier TIER', or add the tier to the settings file.",
  ];
}
