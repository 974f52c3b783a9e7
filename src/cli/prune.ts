/** `matchbook prune`: removes old records from a shard. */

import { formatTimestamp } from "../domain/time.ts";
import { prune as pruneShard } from "../prune/prune.ts";
import { DAY_MS, days } from "../settings/parsers.ts";
import type { Writer } from "../store/store.ts";
import { defineCommand, flagValue } from "./command.ts";
import { withProgress } from "./progress.ts";
import { SHARD, withShard } from "./shard-store.ts";
import { table } from "./table.ts";

export const prune = defineCommand<{ olderThan: string; dryRun?: true }>({
  name: "prune",
  summary: "remove old records from a shard",
  description:
    "remove all records of a shard, served and withheld, that are older than a number of days. There is no way back but a backup.\n" +
    "Players keep their lifetime records. Records that are sent again are reported as pruned, and not stored.\n" +
    "Servers and ingest may run meanwhile. It can be interrupted: the next run continues.\n" +
    "Exit codes: 1 the shard could not be pruned; 2 wrong usage.",
  arguments: SHARD,
  required: { "--older-than <DAYS>": "age of the records to remove, e.g. 400d" },
  options: { "--dry-run": "print how many records would be removed, and change nothing" },
  examples: {
    "matchbook prune na --older-than 400d --dry-run": "count the records that would be removed",
    "matchbook prune na --older-than 400d": "remove all records older than 400 days",
  },
  async run({ settings, flags }, shard: string) {
    const before = Date.now() - flagValue("--older-than", flags.olderThan, days) * DAY_MS;
    const dryRun = flags.dryRun === true;
    const pruned = await withShard(
      settings,
      shard,
      (writer) => (dryRun ? count(writer, before) : remove(writer, shard, before)),
      dryRun ? "read" : "write",
    );
    const { served, withheld } = pruned;
    const cutoff = formatTimestamp(pruned.cutoff);
    const verb = dryRun ? "would be removed" : "removed";
    return {
      text: table([
        ["cutoff", cutoff],
        [`served ${verb}`, String(served)],
        [`withheld ${verb}`, String(withheld)],
      ]),
      notes:
        pruned.cutoff > before
          ? [`Shard ${shard} was pruned before: its cutoff never moves back.`]
          : [],
    };
  },
});

/** What a prune would remove. */
async function count(writer: Writer, before: number) {
  const cutoff = Math.max(before, (await writer.prunedBefore()) ?? before);
  return { cutoff, ...(await writer.countOlder(cutoff)) };
}

async function remove(writer: Writer, shard: string, before: number) {
  const there = await writer.countOlder(before);
  return withProgress(`prune ${shard}`, there.served + there.withheld, "records", (update) =>
    pruneShard(writer, before, {
      onStep: ({ served, withheld }) => update(served + withheld),
    }),
  );
}
