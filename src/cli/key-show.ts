/** `matchbook keys show`: prints everything about one key. */

import { describeKey } from "../access/describe-key.ts";
import type { KeyRecord } from "../access/key-store.ts";
import { matchesLeft } from "../access/quota.ts";
import { dayOf } from "../access/usage.ts";
import { type AccessPlan, tierNamed } from "../domain/limits.ts";
import { describeDay } from "../http/usage.ts";
import { accessPlan } from "../open-access.ts";
import { defineCommand } from "./command.ts";
import { existingKey, KEY, usageIn, withAccess } from "./key-store.ts";
import { countsOf } from "./key-usage.ts";
import { table } from "./table.ts";

export const show = defineCommand({
  name: "show",
  description:
    "print everything about one key: limits and where they are set, secrets, usage today",
  arguments: KEY,
  json: "print one JSON object",
  settings: ["keys-database", "rate", "matches-per-day"],
  examples: { "matchbook keys show k_3fGh7Kq0Zx": "show one key" },
  run: ({ settings }, id: string) =>
    withAccess(settings, "read", async ({ keys, usage }) => {
      const now = Date.now();
      const day = dayOf(now);
      const plan = accessPlan(settings);
      const record = await existingKey(settings, keys, id);
      const used = await usageIn(usage, undefined, async (store) => ({
        lastSeen: (await store.lastSeen()).get(id),
        today: (await store.read(day, id))[0],
        matches: await store.distinctMatches(day, id),
      }));
      const key = describeKey(record, plan, used?.lastSeen, now);
      const none = { keyId: id, day, requests: new Map(), records: 0, lastSeen: 0 };
      const today = used?.today ?? none;
      const matches = used?.matches ?? 0;
      const left = matchesLeft(key.allowance.matchesPerDay, matches);
      const { lastSeen: _, ...counts } = describeDay(today);
      const [requests, clientErrors, serverErrors, records] = countsOf([today]);
      return {
        json: { ...key, today: { ...counts, matches, matchesLeft: left } },
        text: table([
          ...listing(key),
          ["requests today", `${requests} (${clientErrors} 4xx, ${serverErrors} 5xx)`],
          ["records today", records!],
          ["matches today", `${matches} of ${quotaOf(key)}`],
        ]),
        notes: unknownTiers(plan, [record]),
      };
    }),
});

type DescribedKey = ReturnType<typeof describeKey>;

const quotaOf = ({ allowance }: DescribedKey): string =>
  allowance.matchesPerDay === 0 ? "unlimited" : String(allowance.matchesPerDay);

/** Each limit is followed by where it is set: the key, its tier, or the default. */
function listing(key: DescribedKey): string[][] {
  const { allowance, sources } = key;
  return [
    ["id", key.id],
    ["name", key.name],
    ["note", key.note ?? ""],
    ["state", key.state],
    ["created", key.createdAt],
    ["expires", key.expiresAt ?? "never"],
    ["revoked", key.revokedAt ?? "no"],
    ["last used", key.lastSeen ?? "never"],
    ["tier", `${allowance.tier} (${sources.tier})`],
    ["rate", `${allowance.rate} (${sources.rate})`],
    ["burst", `${allowance.burst} (${sources.burst})`],
    ["matches per day", `${quotaOf(key)} (${sources.matchesPerDay})`],
    ["shards", `${allowance.shards.join(", ")} (${sources.shards})`],
    ["streams", `${allowance.streams} (${sources.streams})`],
    ["changes per minute", `${allowance.changesPerMinute} (${sources.changesPerMinute})`],
    ...key.secrets.map(({ createdAt, expiresAt }) => [
      "secret",
      `created ${createdAt}, ${expiresAt === null ? "expires with the key" : `expires ${expiresAt}`}`,
    ]),
  ];
}

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
