/** `matchbook keys show`: prints everything about one key. */

import type { Command } from "commander";
import { describeKey } from "../access/describe-key.ts";
import type { KeyRecord } from "../access/key-store.ts";
import { matchesLeft } from "../access/quota.ts";
import type { KeyDay } from "../access/usage.ts";
import { dayOf, writtenDay } from "../access/usage.ts";
import type { UsageStore } from "../access/usage-store.ts";
import { type AccessPlan, effectiveLimits, tierNamed } from "../domain/limits.ts";
import { describeDay } from "../http/usage.ts";
import { accessPlan } from "../open-access.ts";
import { note, print, settingsOf, withExamples, withSettings } from "./command.ts";
import { KEY_ID, readKey, readUsage } from "./key-store.ts";
import { countsOf } from "./key-usage.ts";
import { table } from "./table.ts";

export function addShow(group: Command): void {
  const command = group
    .command("show")
    .description(
      "print everything about one key: limits and where they are set, secrets, usage today",
    )
    .argument("<id>", KEY_ID)
    .option("--json", "print one JSON object")
    .action(async (id: string, options: { json?: true }) => {
      const { values } = settingsOf(command);
      const record = await readKey(values, id);
      const now = Date.now();
      const plan = accessPlan(values);
      const usage = await readUsage(values, NO_USAGE, (usage) => usageOf(usage, id, now));
      const described = {
        ...describeKey(record, plan, usage.lastSeen, now),
        today: todayOf(usage, effectiveLimits(plan, record.tier, record).matchesPerDay, now),
      };
      if (options.json) print(JSON.stringify(described, null, 2));
      else print(listing(described, usage));
      warnOfUnknownTiers(plan, [record]);
    });
  withSettings(command, ["keys-database", "rate", "burst", "matches-per-day"]);
  withExamples(command, [["matchbook keys show k_3fGh7Kq0Zx", "show one key"]]);
}

interface Usage {
  lastSeen: number | undefined;
  today: KeyDay | undefined;
  /** Distinct matches that were counted today. */
  matches: number;
}

const NO_USAGE: Usage = { lastSeen: undefined, today: undefined, matches: 0 };

async function usageOf(usage: UsageStore, id: string, now: number): Promise<Usage> {
  const today = dayOf(now);
  return {
    lastSeen: (await usage.lastSeen()).get(id),
    today: (await usage.read(today, id))[0],
    matches: await usage.distinctMatches(today, id),
  };
}

function todayOf({ today, matches }: Usage, matchesPerDay: number, now: number) {
  const { day, requests, records } = today
    ? describeDay(today)
    : { day: writtenDay(dayOf(now)), requests: {}, records: 0 };
  return { day, requests, records, matches, matchesLeft: matchesLeft(matchesPerDay, matches) };
}

/** Each limit is followed by where it is set: the key, its tier, or the default. */
function listing(
  key: ReturnType<typeof describeKey> & { today: ReturnType<typeof todayOf> },
  usage: Usage,
): string {
  const { allowance, sources } = key;
  const [requests, clientErrors, serverErrors, records] = countsOf(
    usage.today ? [usage.today] : [],
  );
  const quota = allowance.matchesPerDay === 0 ? "unlimited" : String(allowance.matchesPerDay);
  return table([
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
    ["matches per day", `${quota} (${sources.matchesPerDay})`],
    ["shards", `${allowance.shards.join(", ")} (${sources.shards})`],
    ["streams", `${allowance.streams} (${sources.streams})`],
    ["changes per minute", `${allowance.changesPerMinute} (${sources.changesPerMinute})`],
    ...key.secrets.map(({ createdAt, expiresAt }) => [
      "secret",
      `created ${createdAt}, ${expiresAt === null ? "expires with the key" : `expires ${expiresAt}`}`,
    ]),
    ["requests today", `${requests} (${clientErrors} 4xx, ${serverErrors} 5xx)`],
    ["records today", records!],
    ["matches today", `${usage.matches} of ${quota}`],
  ]);
}

export function warnOfUnknownTiers(plan: AccessPlan, records: readonly KeyRecord[]): void {
  const unknown = new Set(
    records.flatMap(({ tier }) => (tier === null || tierNamed(plan, tier) ? [] : [tier])),
  );
  if (unknown.size === 0) return;
  note(
    `Unknown tier ${[...unknown].join(", ")}: keys with this tier get the limits of ${plan.tiers[0]!.name}. ` +
      "Change them with 'matchbook keys change ID --tier TIER', or add the tier to the settings file.",
  );
}
