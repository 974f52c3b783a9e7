/** `matchbook compact`: gives the free space of a shard back to the disk. */

import { defineCommand } from "./command.ts";
import { withProgress } from "./progress.ts";
import { SHARD, withShard } from "./shard-store.ts";
import { table } from "./table.ts";

export const compact = defineCommand<{ full?: true }>({
  name: "compact",
  summary: "give the free space of a shard back to the disk",
  description:
    "give the space that removed records have left behind back to the disk; without this, it is used for new records.\n" +
    "Servers and ingest may run meanwhile. It can be interrupted: the next run continues.\n" +
    "SQLite: free pages are cut off in small steps. PostgreSQL: VACUUM of each table, which gives back free space at its end.\n" +
    "Exit codes: 1 the shard could not be compacted; 2 wrong usage.",
  arguments: SHARD,
  options: {
    "--full":
      "SQLite: rewrite the whole file; ingest waits meanwhile, and the disk needs twice its size",
  },
  json: "print one JSON object: shard, and its bytes before and after",
  examples: {
    "matchbook compact na": "give free space back",
    "matchbook compact na --full": "rewrite the whole file",
  },
  run: ({ settings, flags }, shard: string) =>
    withShard(
      settings,
      shard,
      async (writer) => {
        const before = (await writer.counts()).bytes;
        await withProgress(`compact ${shard}`, 0, "steps", (update) =>
          writer.compact(flags.full === true, update),
        );
        const after = (await writer.counts()).bytes;
        const rows = Object.entries({ before, after }).map(([when, size]) => [
          when,
          `${size} bytes`,
        ]);
        return { json: { shard, before, after }, text: table(rows) };
      },
      "write",
    ),
});
