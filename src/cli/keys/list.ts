/** In charge of `matchbook keys list`. */

import type { Command } from "commander";
import { describeKey } from "../../access/describe.ts";
import type { KeyRecord } from "../../access/key-store.ts";
import { type AccessPlan, allowanceOf } from "../../domain/allowance.ts";
import { formatTimestamp } from "../../domain/time.ts";
import { accessPlan } from "../../wiring.ts";
import { fitted, rightAligned } from "../table.ts";
import { age, note, print, settingsOf, withExamples, withSettings } from "../verb.ts";
import { readKeys, readLastSeen, whereKeysAre } from "./open.ts";
import { showsBlocks, surroundings } from "./terminal.ts";
import { grouped, lostTiers, stateInWords } from "./words.ts";

export function addList(group: Command): void {
  const command = group
    .command("list")
    .description(
      "list the keys, ended ones included; the keys themselves are not kept.\n" +
        "The rate is in requests a minute; matches are different ones a day.",
    )
    .option("--json", "print one JSON array")
    .action(async (options: { json?: true }) => {
      const { values } = settingsOf(command);
      const plan = accessPlan(values);
      const records = await readKeys(values);
      const lastSeen = await readLastSeen(values);
      const now = Date.now();
      if (options.json) {
        const described = records.map((one) => describeKey(one, plan, lastSeen.get(one.id), now));
        print(JSON.stringify(described, null, 2));
      } else if (records.length === 0) {
        note(`No keys in ${whereKeysAre(values)} yet: 'matchbook keys create' makes one.`);
      } else {
        print(asTable(records, plan, lastSeen, now));
        const warning = lostTiers(plan, records);
        if (warning !== undefined) note(warning);
      }
    });
  withSettings(command, ["keys-database", "rate", "burst", "matches-per-day"]);
  withExamples(command, [
    ["matchbook keys list", "a table"],
    ["matchbook keys list --json", "the same and more for a program"],
  ]);
}

const HEADS = ["ID", "NAME", "TIER", "RATE", "MATCHES", "STATE", "LAST SEEN", "CREATED"];

function asTable(
  records: readonly KeyRecord[],
  plan: AccessPlan,
  lastSeen: ReadonlyMap<string, number>,
  now: number,
): string {
  const rows = records.map((record) => {
    const { tier, rate, matchesPerDay } = allowanceOf(plan, record.tier, record);
    const seen = lastSeen.get(record.id);
    return [
      record.id,
      record.name,
      record.tier === null || record.tier === tier ? tier : `${record.tier} (${tier})`,
      grouped(rate),
      matchesPerDay === 0 ? "any" : grouped(matchesPerDay),
      stateInWords(record, now),
      seen === undefined ? "never" : age(now - seen),
      formatTimestamp(record.createdAt).slice(0, 10),
    ];
  });
  const where = surroundings();
  // Whoever reads it through a pipe gets the names whole.
  const width = where.columns ?? Number.POSITIVE_INFINITY;
  const cut = showsBlocks(where) ? "…" : "..";
  const numbers = [HEADS.indexOf("RATE"), HEADS.indexOf("MATCHES")];
  return fitted(rightAligned([HEADS, ...rows], numbers), HEADS.indexOf("NAME"), width, cut);
}
