/** `matchbook export`: writes the records of a shard as NDJSON that ingest takes back. */

import { TIMESTAMP_EXAMPLE } from "../domain/time.ts";
import { exportRecords } from "../export/export.ts";
import { recordsIn } from "../export/move.ts";
import { timestamp } from "../settings/parsers.ts";
import { defineCommand, flagValue, note, write } from "./command.ts";
import { withProgress } from "./progress.ts";
import { SHARD, withShard } from "./shard-store.ts";
import { table } from "./table.ts";

interface Flags {
  since?: string;
  withheld: boolean;
}

export const exportShard = defineCommand<Flags>({
  name: "export",
  summary: "print the records of a shard as NDJSON",
  description:
    "print the original records of a shard, one document per line.\n" +
    "Ingested into an empty shard, they give the same digest. For that, an export of all records also has " +
    "lines with the redacted players, with what pruned matches add to lifetime records, and with the prune " +
    "cutoff; with --since or --no-withheld it has none of them.\n" +
    "It is the state of the shard at its start. Reads and ingest continue meanwhile.\n" +
    "Exit codes: 1 it failed, or a record is damaged: the output is not complete; 2 wrong usage.",
  arguments: SHARD,
  options: {
    "--since <TIME>":
      `only records created at or after this time, e.g. ${TIMESTAMP_EXAMPLE}. Records that arrived later, but with an ` +
      "older time, are not among them: export everything now and then.",
    "--no-withheld": "leave out withheld records",
  },
  json: "print the counts, which go to standard error, as one JSON object",
  examples: {
    "matchbook export na | zstd > na.ndjson.zst": "export all records of na, compressed",
    "matchbook export na --since 2026-03-01T00:00:00Z > march.ndjson": "only newer ones",
    "matchbook export na | matchbook ingest - --data /srv/other":
      "copy a shard to another data folder",
  },
  async run({ settings, flags }, shard: string) {
    const { withheld } = flags;
    const since =
      flags.since === undefined ? undefined : flagValue("--since", flags.since, timestamp);
    const summary = { served: 0, withheld: 0, bytes: 0 };
    let longest = 0;
    await withShard(settings, shard, async (writer) => {
      const total = since === undefined && withheld ? recordsIn(await writer.counts()) : 0;
      await withProgress("export", total, "matches", (update) =>
        writer.survey(async (contents) => {
          for await (const chunk of exportRecords(contents, { shard, since, withheld })) {
            summary.served += chunk.served;
            summary.withheld += chunk.withheld;
            summary.bytes += chunk.bytes.length;
            longest = Math.max(longest, chunk.longest);
            // Waits for the reader. If it closes the pipe, the process ends (main.ts).
            await write(chunk.bytes);
            update(summary.served + summary.withheld);
          }
        }),
      );
    });
    if (longest > settings["max-record-bytes"]) {
      note(
        `The longest record has ${longest} bytes: ingest it with --max-record-bytes ${longest}.`,
      );
    }
    note(
      flags.json
        ? JSON.stringify({ shard, ...summary })
        : table(Object.entries(summary).map(([name, count]) => [name, String(count)])),
    );
  },
});
