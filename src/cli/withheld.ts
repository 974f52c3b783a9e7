/** `matchbook withheld`: lists the records of a shard that are not served. */

import { formatTimestamp } from "../domain/time.ts";
import { BEFORE_WITHHELD, inSteps, recordBatches } from "../export/scan.ts";
import type { ShardRecord } from "../store/store.ts";
import { defineCommand, write } from "./command.ts";
import { SHARD, withShard } from "./shard-store.ts";
import { table } from "./table.ts";

const BATCH = 500;

export const withheld = defineCommand({
  name: "withheld",
  description:
    "list the records of a shard that are stored but not served, by id; 'matchbook status' counts them.\n" +
    "Reads and ingest continue meanwhile, and nothing is changed, e.g. in a backup.\n" +
    "'matchbook why SHARD MATCH' explains a single match.\n" +
    "Exit codes: 1 the shard cannot be read, or a record is damaged, which is named; 2 wrong usage.",
  arguments: SHARD,
  json: "print one JSON object per line and record",
  examples: {
    "matchbook withheld na | head -50": "the first of them",
    "matchbook withheld na --json | jq -r 'select(.reason == \"ending\") | .id'":
      "ids of those that ended in a way that is not served",
  },
  async run({ settings, flags }, shard: string) {
    let head = [["ID", "CREATED", "MODE", "PATCH", "REASON"]];
    await withShard(settings, shard, async (reader) => {
      // Printed in pieces: the whole list may not fit in memory.
      for await (const batch of recordBatches(inSteps(reader), BATCH, BEFORE_WITHHELD)) {
        const found = batch.map(describe);
        const rows = found.map((one) => Object.values(one));
        await write(
          flags.json
            ? found.map((one) => `${JSON.stringify(one)}\n`).join("")
            : `${table([...head, ...rows])}\n`,
        );
        head = [];
      }
    });
  },
});

function describe({ fate, match: { id, createdAt, gameMode, patchVersion } }: ShardRecord) {
  const reason = fate.state === "withheld" ? fate.reason : "";
  return { id, createdAt: formatTimestamp(createdAt), gameMode, patchVersion, reason };
}
