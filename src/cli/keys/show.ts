/** In charge of `matchbook keys show`: everything about one key. */

import type { Command } from "commander";
import { describeKey } from "../../access/describe.ts";
import { DistinctCounter } from "../../access/distinct.ts";
import type { KeyRecord } from "../../access/key-store.ts";
import { isExceeded, matchesLeft } from "../../access/quota.ts";
import { dayOf, writtenDay } from "../../access/usage.ts";
import type { UsageStore } from "../../access/usage-store.ts";
import { type AccessPlan, allowanceOf, mayRead } from "../../domain/allowance.ts";
import { describeDay } from "../../http/usage.ts";
import { unobserved } from "../../observe/events.ts";
import type { Settings } from "../../settings/table.ts";
import { accessPlan, openShards } from "../../wiring.ts";
import { note, print, settingsOf, withExamples, withSettings } from "../verb.ts";
import { readUsage, withKey } from "./open.ts";
import { keyInFull, type Use } from "./show-text.ts";
import { lostTiers } from "./words.ts";

export function addShow(group: Command): void {
  const command = group
    .command("show")
    .description("everything about one key: its terms, what they come to, its secrets, its use")
    .argument("<id>", "the key's id, as 'matchbook keys list' shows it")
    .option("--json", "print one JSON object")
    .action(async (id: string, options: { json?: true }) => {
      const { values } = settingsOf(command);
      const record = await withKey(values, id, (_, found) => found);
      const now = Date.now();
      const plan = accessPlan(values);
      const used = await readUsage(values, UNUSED, (usage) => useOf(usage, id, now));
      if (options.json) print(JSON.stringify(asJson(record, plan, used, now), null, 2));
      else print(keyInFull(record, plan, used, await readableShards(values, plan, record), now));
      const warning = lostTiers(plan, [record]);
      if (warning !== undefined) note(warning);
    });
  withSettings(command, ["keys-database", "rate", "burst", "matches-per-day", "closed-shards"]);
  withExamples(command, [
    ["matchbook keys show k_3fGh7Kq0Zx", "for people"],
    ["matchbook keys show k_3fGh7Kq0Zx --json", "for programs"],
  ]);
}

const UNUSED: Use = { lastSeen: undefined, today: undefined, matches: 0, exceeded: null };

async function useOf(usage: UsageStore, id: string, now: number): Promise<Use> {
  const today = dayOf(now);
  const [quota] = await usage.quotas(today, id);
  const counter = quota && DistinctCounter.fromBytes(quota.counter);
  return {
    lastSeen: (await usage.lastSeen()).get(id),
    today: (await usage.read(today, id))[0],
    matches: counter?.count ?? 0,
    exceeded: quota?.exceeded ?? null,
  };
}

function asJson(record: KeyRecord, plan: AccessPlan, use: Use, now: number): object {
  const { matchesPerDay } = allowanceOf(plan, record.tier, record);
  const { day, requests, records } = use.today
    ? describeDay(use.today)
    : { day: writtenDay(dayOf(now)), requests: {}, records: 0 };
  return {
    ...describeKey(record, plan, use.lastSeen, now),
    today: {
      day,
      requests,
      records,
      matches: use.matches,
      matchesLeft: matchesLeft(matchesPerDay, use.matches, isExceeded(use.exceeded, matchesPerDay)),
    },
  };
}

/** Those that are there now. */
async function readableShards(
  settings: Settings,
  plan: AccessPlan,
  record: KeyRecord,
): Promise<string[]> {
  const shards = openShards(settings, unobserved);
  const allowance = allowanceOf(plan, record.tier, record);
  const ids = await shards.list();
  await shards.close();
  return ids.filter((id) => mayRead(plan, allowance, id));
}
