/** `matchbook compact`: gives the free space of a shard back to the disk. */

import { defineCommand } from "./command.ts";
import { withProgress } from "./progress.ts";
import { SHARD, withShard } from "./shard-store.ts";
import { table } from "./table.ts";

export const compact = defineCommand({
  name: "compact",
  summary: "give the free space of a shard in a file back to the disk",
  description:
    "give the space that removed records have left behind in a file back to the disk; without this, it is used for new records.\n" +
    "Servers and ingest may run meanwhile: free pages are cut off in small steps. It can be interrupted: the next run continues.\n" +
    "PostgreSQL does this by itself (autovacuum).\n" +
    "Exit codes: 1 the shard could not be compacted; 2 wrong usage.",
  arguments: SHARD,
  examples: { "matchbook compact na": "give free space back" },
  run: ({ settings }, shard: string) =>
    withShard(
      settings,
      shard,
      async (writer) => {
        const before = (await writer.counts()).bytes;
        await withProgress(`compact ${shard}`, 0, "steps", (update) => writer.compact(update));
        const after = (await writer.counts()).bytes;
        return {
          text: table([
            ["before", `${before} bytes`],
            ["after", `${after} bytes`],
          ]),
        };
      },
      "write",
    ),
});
