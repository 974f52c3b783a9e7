/** `matchbook withheld`: lists the records of a shard that are not served, by reason. */

import { formatTimestamp } from "../domain/time.ts";
import { WITHHELD_REASONS, type WithheldReason } from "../domain/visibility.ts";
import { oneOf, wholeNumber } from "../settings/parsers.ts";
import type { AdminReader, Counts, Fate, MatchKey, ShardRecord } from "../store/store.ts";
import {
  type AddCommand,
  flagValue,
  note,
  settingsOf,
  withExamples,
  withSettings,
  write,
} from "./command.ts";
import { startProgress } from "./progress.ts";
import { existingShard, withShards } from "./shard-store.ts";
import { table } from "./table.ts";

interface Flags {
  reason?: string;
  limit: string;
  json?: true;
}

/** Records per step: each is read in its own short transaction, so that a long list does not let the WAL grow. */
const STEP = 500;

export const withheld: AddCommand = (program) => {
  const command = program
    .command("withheld")
    .summary("list the records of a shard that are not served")
    .description(
      "list the records of a shard that are stored but not served: their numbers by reason, then each one, by id.\n" +
        "Reads and ingest continue meanwhile, and nothing is changed, e.g. in a backup.\n" +
        "'matchbook why SHARD MATCH' explains a single match.\n" +
        "Exit codes: 1 the shard cannot be read, or a record is damaged, which is named; 2 wrong usage.",
    )
    .argument("<shard>", "shard id")
    .option("--reason <REASON>", `only these: ${WITHHELD_REASONS.join(", ")}`)
    .option("--limit <N>", "number of records to list; 0 lists all", "50")
    .option("--json", "print one JSON object: shard, withheld (numbers by reason), records")
    .action(async (shard: string, flags: Flags) => {
      const reason =
        flags.reason === undefined
          ? undefined
          : flagValue("--reason", flags.reason, oneOf(WITHHELD_REASONS));
      const limit = flagValue("--limit", flags.limit, wholeNumber(0, 1_000_000_000));
      await withShards(settingsOf(command).values, async (shards) => {
        const reader = await existingShard(shards, shard);
        const { withheld } = await reader.counts();
        const list = {
          shard,
          reason,
          withheld,
          records: selected(reader, withheld, reason, limit),
        };
        if (flags.json) await printJson(list);
        else await printTable(list);
      });
    });
  withSettings(command);
  withExamples(command, [
    ["matchbook withheld na", "the numbers by reason, and the first 50 records"],
    [
      "matchbook withheld na --reason ending --limit 0",
      "all that ended in a way that is not served",
    ],
    ["matchbook withheld na --limit 0 --json | jq -r '.records[].id'", "print all ids"],
  ]);
};

interface WithheldList {
  shard: string;
  reason: WithheldReason | undefined;
  withheld: Counts["withheld"];
  records: AsyncGenerator<WithheldRecord[]>;
}

interface WithheldRecord {
  id: string;
  createdAt: string;
  gameMode: string;
  patchVersion: string;
  reason: WithheldReason;
}

/** The first `limit` records with this reason (0 or undefined: all), in pieces. */
async function* selected(
  reader: AdminReader,
  counts: Counts["withheld"],
  reason: WithheldReason | undefined,
  limit: number,
): AsyncGenerator<WithheldRecord[]> {
  let left = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  // On a terminal, the list itself shows the progress.
  const progress = process.stdout.isTTY
    ? undefined
    : startProgress("withheld", totalOf(counts), "records");
  let seen = 0;
  try {
    for await (const records of inSteps(reader)) {
      const wanted = records
        .flatMap(asWithheld)
        .filter((one) => (reason ?? one.reason) === one.reason);
      yield wanted.slice(0, left);
      left -= wanted.length;
      seen += records.length;
      progress?.update(seen, seen);
      if (left <= 0) return;
    }
  } finally {
    progress?.stop();
  }
}

async function* inSteps(reader: AdminReader): AsyncGenerator<ShardRecord[]> {
  let after: { fate: Fate; match: MatchKey } = {
    fate: { state: "withheld", reason: WITHHELD_REASONS[0] },
    match: { createdAt: 0, id: "" },
  };
  for (;;) {
    const records = await reader.survey(async (contents) => contents.records(after, STEP));
    yield records;
    if (records.length < STEP) return;
    after = records.at(-1)!;
  }
}

function asWithheld({ fate, match }: ShardRecord): WithheldRecord[] {
  if (fate.state === "served") return [];
  const { id, createdAt, gameMode, patchVersion } = match;
  const { reason } = fate;
  return [{ id, createdAt: formatTimestamp(createdAt), gameMode, patchVersion, reason }];
}

const totalOf = (counts: Counts["withheld"], reason?: WithheldReason): number =>
  WITHHELD_REASONS.filter((one) => (reason ?? one) === one).reduce(
    (sum, one) => sum + counts[one],
    0,
  );

/** In pieces: the whole list may not fit in memory. */
async function printJson({ shard, withheld, records }: WithheldList): Promise<void> {
  await write(`${JSON.stringify({ shard, withheld }).slice(0, -1)},"records":[`);
  let separator = "";
  for await (const some of records) {
    if (some.length === 0) continue;
    await write(separator + some.map((one) => JSON.stringify(one)).join(","));
    separator = ",";
  }
  await write("]}\n");
}

async function printTable({ shard, reason, withheld, records }: WithheldList): Promise<void> {
  await write(`${table(WITHHELD_REASONS.map((one) => [one, String(withheld[one])]))}\n`);
  let head = [["ID", "CREATED", "MODE", "PATCH", "REASON"]];
  let listed = 0;
  for await (const some of records) {
    if (some.length === 0) continue;
    const rows = some.map((one) => [
      one.id,
      one.createdAt,
      one.gameMode,
      one.patchVersion,
      one.reason,
    ]);
    await write(`${head.length > 0 ? "\n" : ""}${table([...head, ...rows])}\n`);
    head = [];
    listed += rows.length;
  }
  if (listed === 0) return;
  const total = totalOf(withheld, reason);
  if (listed < total) note(`${listed} of ${total} are listed; --limit 0 lists all.`);
  note(`'matchbook why ${shard} ID' explains a match.`);
}
