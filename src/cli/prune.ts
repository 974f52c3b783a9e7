/** `matchbook prune`: removes old records from a shard. */

import { formatTimestamp } from "../domain/time.ts";
import { type Pruned, prune as pruneShard } from "../prune/prune.ts";
import type { Settings } from "../settings/definitions.ts";
import { DAY_MS, days } from "../settings/parsers.ts";
import {
  type AddCommand,
  flagValue,
  note,
  print,
  settingsOf,
  withExamples,
  withSettings,
} from "./command.ts";
import { startProgress } from "./progress.ts";
import { existingShard, withShards } from "./shard-store.ts";
import { table } from "./table.ts";

interface Flags {
  olderThan: string;
  dryRun?: true;
  json?: true;
}

export const prune: AddCommand = (program) => {
  const command = program
    .command("prune")
    .summary("remove old records from a shard")
    .description(
      "remove all records of a shard, served and withheld, that are older than a number of days. There is no way back but a backup.\n" +
        "Players keep their lifetime records. Records that are sent again are reported as pruned, and not stored.\n" +
        "Servers and ingest may run meanwhile. It can be interrupted: the next run continues.\n" +
        "Exit codes: 1 the shard could not be pruned; 2 wrong usage.",
    )
    .argument("<shard>", "shard id")
    .requiredOption("--older-than <DAYS>", "age of the records to remove, e.g. 400d")
    .option("--dry-run", "print how many records would be removed, and change nothing")
    .option("--json", "print one JSON object: shard, cutoff, served, withheld, dryRun")
    .action(async (shard: string, flags: Flags) => {
      const age = flagValue("--older-than", flags.olderThan, days);
      const settings = settingsOf(command).values;
      const before = Date.now() - age * DAY_MS;
      const pruned = await (flags.dryRun ? count : remove)(settings, shard, before);
      if (pruned.cutoff > before) {
        note(`Shard ${shard} was pruned before: its cutoff never moves back.`);
      }
      print(flags.json ? JSON.stringify(asJson(shard, pruned, flags)) : asTable(pruned, flags));
    });
  withSettings(command);
  withExamples(command, [
    ["matchbook prune na --older-than 400d --dry-run", "count the records that would be removed"],
    ["matchbook prune na --older-than 400d", "remove all records older than 400 days"],
  ]);
};

/** What a prune would remove. */
const count = (settings: Settings, id: string, before: number): Promise<Pruned> =>
  withShards(settings, async (shards) => {
    const writer = await existingShard(shards, id);
    const cutoff = Math.max(before, (await writer.prunedBefore()) ?? before);
    return { cutoff, ...(await writer.countOlder(cutoff)) };
  });

const remove = (settings: Settings, id: string, before: number): Promise<Pruned> =>
  withShards(
    settings,
    async (shards) => {
      const writer = await existingShard(shards, id);
      const there = await writer.countOlder(before);
      const progress = startProgress(`prune ${id}`, there.served + there.withheld, "records");
      try {
        return await pruneShard(writer, before, {
          onStep({ served, withheld }) {
            progress.update(served + withheld, served + withheld);
          },
        });
      } finally {
        progress.stop();
      }
    },
    "write",
  );

function asJson(shard: string, { cutoff, served, withheld }: Pruned, flags: Flags) {
  const dryRun = flags.dryRun === true;
  return { shard, cutoff: formatTimestamp(cutoff), served, withheld, dryRun };
}

function asTable({ cutoff, served, withheld }: Pruned, { dryRun }: Flags): string {
  const verb = dryRun ? "would be removed" : "removed";
  return table([
    ["cutoff", formatTimestamp(cutoff)],
    [`served ${verb}`, String(served)],
    [`withheld ${verb}`, String(withheld)],
  ]);
}
