/** In charge of `matchbook keys usage`: how much keys were used, day by day. */

import type { Command } from "commander";
import { type KeyRecord, stateOf } from "../../access/key-store.ts";
import type { KeyDay } from "../../access/usage.ts";
import { dayOf } from "../../access/usage.ts";
import { KEPT_DAYS } from "../../access/usage-store.ts";
import { type AccessPlan, allowanceOf } from "../../domain/allowance.ts";
import { describeDay } from "../../http/usage.ts";
import { wholeNumber } from "../../settings/parsers.ts";
import type { Settings } from "../../settings/table.ts";
import { accessPlan } from "../../wiring.ts";
import { flagValue, note, print, settingsOf, withExamples, withSettings } from "../verb.ts";
import { readKeys, readLastSeen, readUsage, whereKeysAre, withKey } from "./open.ts";
import { byKey, requestsIn } from "./sums.ts";
import { surroundings } from "./terminal.ts";
import { linesOfDays, type Span, tableOfKeys, type UsedKey } from "./usage-text.ts";

const USUAL_DAYS = "30";

export function addUsage(group: Command): void {
  const command = group
    .command("usage")
    .description(
      "requests, errors and records by UTC day: of one key, or of all of them, most used first.\n" +
        "A running server writes down what it counts every two seconds.",
    )
    .argument("[id]", "the key's id, as 'matchbook keys list' shows it")
    .option("--days <N>", "how many days, today included", USUAL_DAYS)
    .option("--json", "print JSON: one object for one key, else an array; without days of no use")
    .action(async (id: string | undefined, flags: { days: string; json?: true }) => {
      const length = flagValue("--days", flags.days, wholeNumber(1, KEPT_DAYS));
      const { values } = settingsOf(command);
      const plan = accessPlan(values);
      const now = Date.now();
      const span: Span = { last: dayOf(now), length };
      if (id === undefined) {
        const keys = await allKeys(values, span, now);
        if (flags.json) printJson(keys.map((key) => asJson(plan, key)));
        else if (keys.length > 0) print(tableOfKeys(keys, span, now, surroundings()));
        else note(`No keys in ${whereKeysAre(values)} yet: 'matchbook keys create' makes one.`);
      } else {
        const key = await oneKey(values, id, span);
        if (flags.json) printJson(asJson(plan, key));
        else if (key.days.length > 0) print(linesOfDays(key, span, surroundings()));
        else note(`${id} was not used in the last ${length} days.`);
      }
    });
  withSettings(command, ["keys-database"]);
  withExamples(command, [
    ["matchbook keys usage", "all keys, the last 30 days"],
    ["matchbook keys usage k_3fGh7Kq0Zx --days 7", "one key's week, a line a day"],
    ["matchbook keys usage --json", "for programs"],
  ]);
}

const firstOf = ({ last, length }: Span): number => last - length + 1;

async function oneKey(settings: Settings, id: string, span: Span): Promise<UsedKey> {
  const record = await withKey(settings, id, (_, found) => found);
  const days = await readUsage(settings, [] as KeyDay[], (usage) => usage.read(firstOf(span), id));
  return { id, record, days, lastSeen: days.at(-1)?.lastSeen };
}

/** Most used first. Ended keys are there if they were used, and so are keys that are gone altogether. */
async function allKeys(settings: Settings, span: Span, now: number): Promise<UsedKey[]> {
  const records = new Map((await readKeys(settings)).map((record) => [record.id, record]));
  const days = await readUsage(settings, [] as KeyDay[], (usage) => usage.read(firstOf(span)));
  const used = byKey(days);
  const lastSeen = await readLastSeen(settings);
  const ids = new Set([...used.keys(), ...records.keys()]);
  return [...ids]
    .map((id) => ({
      id,
      record: records.get(id),
      days: used.get(id) ?? [],
      lastSeen: lastSeen.get(id),
    }))
    .filter(({ record, days }) => days.length > 0 || isLive(record, now))
    .sort(
      (one, other) =>
        requestsIn(other.days) - requestsIn(one.days) ||
        (other.lastSeen ?? 0) - (one.lastSeen ?? 0),
    );
}

const isLive = (record: KeyRecord | undefined, now: number): boolean =>
  record !== undefined && stateOf(record, now) === "live";

function asJson(plan: AccessPlan, { id, record, days }: UsedKey): object {
  const tier = record ? allowanceOf(plan, record.tier, record).tier : null;
  return { key: { id, name: record?.name ?? null, tier }, days: days.map(describeDay) };
}

const printJson = (value: object) => print(JSON.stringify(value, null, 2));
