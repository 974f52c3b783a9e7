/** `matchbook keys usage`: prints requests, errors and records by UTC day. */

import type { Command } from "commander";
import { type KeyRecord, stateOf } from "../access/key-store.ts";
import type { KeyDay } from "../access/usage.ts";
import { dayOf, writtenDay } from "../access/usage.ts";
import { KEPT_DAYS } from "../access/usage-store.ts";
import { VISITORS } from "../access/visitors.ts";
import { effectiveLimits, VISITOR_TIER } from "../domain/limits.ts";
import { describeDay } from "../http/usage.ts";
import { accessPlan } from "../open-access.ts";
import type { Settings } from "../settings/definitions.ts";
import { wholeNumber } from "../settings/parsers.ts";
import { flagValue, note, print, settingsOf, withExamples, withSettings } from "./command.ts";
import { KEY_ID, noKeysYet, readKey, readKeys, readLastSeen, readUsage } from "./key-store.ts";
import { age, table } from "./table.ts";

interface UsedKey {
  id: string;
  /** Undefined for portal visitors, and if the key was deleted. */
  record: KeyRecord | undefined;
  days: readonly KeyDay[];
  lastSeen: number | undefined;
}

export function addUsage(group: Command): void {
  const command = group
    .command("usage")
    .summary("print requests, errors and records by UTC day")
    .description(
      "print requests, errors and records by UTC day, for one key or for all keys, most used first.\n" +
        "Running servers store their counts every two seconds.",
    )
    .argument("[id]", `${KEY_ID}, or ${VISITORS.id} for portal visitors`)
    .option("--days <N>", "number of days, including today", "30")
    .option(
      "--json",
      "print JSON: one object for one key, otherwise an array; days without requests are omitted",
    )
    .action(async (id: string | undefined, flags: { days: string; json?: true }) => {
      const length = flagValue("--days", flags.days, wholeNumber(1, KEPT_DAYS));
      const { values } = settingsOf(command);
      const now = Date.now();
      const since = dayOf(now) - length + 1;
      const keys = id === undefined ? await allKeys(values, since, now) : [];
      const key = id === undefined ? undefined : await oneKey(values, id, since);
      if (flags.json) {
        const json = key ? asJson(values, key) : keys.map((one) => asJson(values, one));
        print(JSON.stringify(json, null, 2));
      } else if (key) {
        if (key.days.length > 0) print(tableOfDays(key.days));
        else note(`${id} was not used in the last ${length} days.`);
      } else if (keys.length > 0) print(tableOfKeys(keys, now));
      else note(noKeysYet(values));
    });
  withSettings(command, ["keys-database"]);
  withExamples(command, [
    ["matchbook keys usage", "all keys, last 30 days"],
    ["matchbook keys usage k_3fGh7Kq0Zx --days 7", "one key, one row per day"],
    ["matchbook keys usage --json", "print JSON"],
  ]);
}

async function oneKey(settings: Settings, id: string, since: number): Promise<UsedKey> {
  const record = id === VISITORS.id ? undefined : await readKey(settings, id);
  const days = await readUsage(settings, [] as KeyDay[], (usage) => usage.read(since, id));
  return { id, record, days, lastSeen: days.at(-1)?.lastSeen };
}

/** Most used first: used keys, including deleted ones, and unused live keys. */
async function allKeys(settings: Settings, since: number, now: number): Promise<UsedKey[]> {
  const records = new Map((await readKeys(settings)).map((record) => [record.id, record]));
  const days = await readUsage(settings, [] as KeyDay[], (usage) => usage.read(since));
  const used = Map.groupBy(days, ({ keyId }) => keyId);
  const lastSeen = await readLastSeen(settings);
  return [...new Set([...used.keys(), ...records.keys()])]
    .map((id) => ({
      id,
      record: records.get(id),
      days: used.get(id) ?? [],
      lastSeen: lastSeen.get(id),
    }))
    .filter(({ record, days }) => days.length > 0 || (record && stateOf(record, now) === "live"))
    .sort(
      (one, other) =>
        requestsIn(other.days) - requestsIn(one.days) ||
        (other.lastSeen ?? 0) - (one.lastSeen ?? 0),
    );
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

function tableOfDays(days: readonly KeyDay[]): string {
  return table([
    ["DAY", ...COUNTS],
    ...days.map((day) => [writtenDay(day.day), ...countsOf([day])]),
    ["total", ...countsOf(days)],
  ]);
}

function tableOfKeys(keys: readonly UsedKey[], now: number): string {
  return table([
    ["ID", "NAME", ...COUNTS, "LAST USED"],
    ...keys.map(({ id, record, days, lastSeen }) => [
      id,
      id === VISITORS.id ? VISITORS.name : (record?.name ?? "(deleted)"),
      ...countsOf(days),
      lastSeen === undefined ? "never" : age(now - lastSeen),
    ]),
  ]);
}

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
