/** `matchbook withheld`: lists the records of a shard that are not served. */

import { formatTimestamp } from "../domain/time.ts";
import { WITHHELD_REASONS } from "../domain/visibility.ts";
import { inSteps, type RecordPosition, recordBatches } from "../export/scan.ts";
import { oneOf, wholeNumber } from "../settings/parsers.ts";
import type { ShardRecord } from "../store/store.ts";
import { defineCommand, flagValue, note, write } from "./command.ts";
import { SHARD, withShard } from "./shard-store.ts";
import { table } from "./table.ts";

interface Flags {
  reason?: string;
  limit: string;
}

const BATCH = 500;

const BEFORE_WITHHELD: RecordPosition = {
  fate: { state: "withheld", reason: WITHHELD_REASONS[0] },
  match: { createdAt: 0, id: "" },
};

export const withheld = defineCommand<Flags>({
  name: "withheld",
  description:
    "list the records of a shard that are stored but not served, by id; 'matchbook status' counts them.\n" +
    "Reads and ingest continue meanwhile, and nothing is changed, e.g. in a backup.\n" +
    "'matchbook why SHARD MATCH' explains a single match.\n" +
    "Exit codes: 1 the shard cannot be read, or a record is damaged, which is named; 2 wrong usage.",
  arguments: SHARD,
  options: {
    "--reason <REASON>": `only these: ${WITHHELD_REASONS.join(", ")}`,
    "--limit <N>": ["number of records to list; 0 lists all", "50"],
  },
  json: "print one JSON object per line and record",
  examples: {
    "matchbook withheld na": "the first 50 records",
    "matchbook withheld na --reason ending --limit 0": "all that ended in a way that is not served",
    "matchbook withheld na --limit 0 --json | jq -r .id": "print all ids",
  },
  async run({ settings, flags }, shard: string) {
    const reason = flags.reason && flagValue("--reason", flags.reason, oneOf(WITHHELD_REASONS));
    const limit = flagValue("--limit", flags.limit, wholeNumber(0, 1_000_000_000));
    let left = limit || Number.POSITIVE_INFINITY;
    let head = [["ID", "CREATED", "MODE", "PATCH", "REASON"]];
    await withShard(settings, shard, async (reader) => {
      // Printed in pieces: the whole list may not fit in memory.
      for await (const batch of recordBatches(inSteps(reader), BATCH, BEFORE_WITHHELD)) {
        const found = batch.map(describe).filter((one) => !reason || one.reason === reason);
        const listed = found.slice(0, left);
        if (flags.json) await write(listed.map((one) => `${JSON.stringify(one)}\n`).join(""));
        else if (listed.length > 0) {
          await write(`${table([...head, ...listed.map((one) => Object.values(one))])}\n`);
          head = [];
        }
        left -= found.length;
        if (left < 0) {
          note(`Only the first ${limit} are listed; --limit 0 lists all.`);
          return;
        }
      }
    });
  },
});

function describe({ fate, match: { id, createdAt, gameMode, patchVersion } }: ShardRecord) {
  const reason = fate.state === "withheld" ? fate.reason : "";
  return { id, createdAt: formatTimestamp(createdAt), gameMode, patchVersion, reason };
}
