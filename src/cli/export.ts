/** `matchbook export`: writes the records of a shard as NDJSON that ingest takes back. */

import { exportRecords } from "../export/export.ts";
import { recordsIn } from "../export/move.ts";
import { defineCommand, note, write } from "./command.ts";
import { withProgress } from "./progress.ts";
import { SHARD, withShard } from "./shard-store.ts";
import { table } from "./table.ts";

export const exportShard = defineCommand({
  name: "export",
  summary: "print the records of a shard as NDJSON",
  description:
    "print the original records of a shard, one document per line.\n" +
    "Ingested into an empty shard, they give the same digest. For that, there are also " +
    "lines with the redacted players, with what pruned matches add to lifetime records, and with the prune cutoff.\n" +
    "It is the state of the shard at its start. Reads and ingest continue meanwhile.\n" +
    "The counts go to standard error.\n" +
    "Exit codes: 1 it failed, or a record is damaged: the output is not complete; 2 wrong usage.",
  arguments: SHARD,
  examples: {
    "matchbook export na | zstd > na.ndjson.zst": "export all records of na, compressed",
    "matchbook export na | matchbook ingest - --data /srv/other":
      "copy a shard to another data folder",
  },
  async run({ settings }, shard: string) {
    const summary = { served: 0, withheld: 0, bytes: 0 };
    await withShard(settings, shard, async (writer) => {
      await withProgress("export", recordsIn(await writer.counts()), "matches", (update) =>
        writer.survey(async (contents) => {
          for await (const chunk of exportRecords(contents, shard)) {
            summary.served += chunk.served;
            summary.withheld += chunk.withheld;
            summary.bytes += chunk.bytes.length;
            // Waits for the reader. If it closes the pipe, the process ends (main.ts).
            await write(chunk.bytes);
            update(summary.served + summary.withheld);
          }
        }),
      );
    });
    note(table(Object.entries(summary).map(([name, count]) => [name, String(count)])));
  },
});
