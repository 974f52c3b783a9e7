/** `matchbook repair`: rebuilds a damaged shard from its records. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { formatTimestamp } from "../domain/time.ts";
import { replaceFile } from "../durable-files.ts";
import { readRedactionList } from "../open-access.ts";
import { locationOf, openRepair, shardIds } from "../open-stores.ts";
import { listedIn, redactionsOf } from "../redact/list.ts";
import { countLosses, type Loss, repair as rebuildShard } from "../repair/repair.ts";
import type { Settings } from "../settings/definitions.ts";
import { type ShardLocation, showLocation } from "../settings/shard-locations.ts";
import { DamagedData, OtherOwner, type StoreError } from "../store/store.ts";
import { CommandError, defineCommand, note } from "./command.ts";
import { withProgress } from "./progress.ts";
import { chosenShards, SHARD, withShard } from "./shard-store.ts";
import { counted } from "./table.ts";

/** Records, redactions or the prune cutoff could not be restored. */
const INCOMPLETE = 3;

export const repair = defineCommand<{ dryRun?: true }>({
  name: "repair",
  summary: "rebuild a damaged shard from its records",
  description:
    "rebuild a damaged shard: players, teams, indexes and totals are computed again from the records. It does not look " +
    "for damage: 'matchbook verify' does.\n" +
    "Records that the store cannot read any more are listed in a file beside the shard (of PostgreSQL: in the data " +
    "folder); ingest them again from their source.\n" +
    "The shard is built in a new file or schema, is checked, and then replaces the damaged one; that is kept under " +
    "another name. It needs three times the space of a file, twice that of a schema. Servers may continue, and read " +
    "the new one within a second; ingest into the shard waits.\n" +
    "It can be killed at any time: then the shard is as it was, and the next run starts over.\n" +
    "Exit codes: 0 nothing is lost; 1 it failed, and the shard is as it was; " +
    "2 wrong usage; 3 the shard is repaired, but records, redactions or the prune cutoff could not be restored.",
  arguments: SHARD,
  options: { "--dry-run": "build and check the new shard and report, but do not use it" },
  json: "print one JSON object",
  examples: {
    "matchbook repair na": "repair a shard",
    "matchbook repair na --dry-run": "report what would be lost, and change nothing",
    "matchbook repair na --json | jq -r .list": "print the name of the list of what was lost",
  },
  async run({ settings, flags }, shard: string) {
    chosenShards(shardIds(settings), [shard]);
    const location = locationOf(settings, shard);
    const report = await repairShard(shard, location, settings, flags.dryRun === true);
    if (report.state === "incomplete") process.exitCode = INCOMPLETE;
    return { json: report, text: describe(report, location.engine) };
  },
});

type Report = Awaited<ReturnType<typeof repairShard>>;

async function repairShard(
  shard: string,
  location: ShardLocation,
  settings: Settings,
  isDryRun: boolean,
) {
  await checkVersion(shard, settings);
  const redactions = redactionsOf(listedIn(await readRedactionList(settings)), shard);
  const parts = await openRepair(shard, location);
  try {
    const { losses, records, counts, prunedBefore, isCutoffLost } = await withProgress(
      "repair",
      0,
      "records",
      (update) => rebuildShard(shard, parts, redactions, update),
    );
    if (records === 0 && losses.length > 0) throw nothingFound(shard, location);
    const report = {
      shard,
      state: losses.length === 0 && !isCutoffLost ? "repaired" : "incomplete",
      isDryRun,
      // In the new shard.
      records,
      served: counts.served,
      withheld: records - counts.served,
      ...countLosses(losses),
      prunedBefore: prunedBefore === undefined ? null : formatTimestamp(prunedBefore),
      isCutoffLost,
      // Whether the latest changes, in the WAL, could not be read completely.
      ...(parts.isWalCut !== undefined && { isWalCut: parts.isWalCut }),
      // The name of the damaged file or schema now, and of the list of what is lost; null if there is none.
      kept: null,
      list: null,
    };
    await parts.complete();
    if (isDryRun) return report;
    const kept = await parts.keptName(timeStamp(new Date()));
    const list = losses.length === 0 ? null : listName(kept, location, settings);
    // Before the swap: a process that is killed in between must not lose the list.
    if (list !== null) replaceFile(list, linesOf(losses));
    try {
      await parts.swap(kept);
    } catch (error) {
      if (list !== null) rmSync(list, { force: true });
      throw error;
    }
    return { ...report, kept, list };
  } finally {
    await parts.close();
  }
}

/** The list of what is in a database is a file too. */
const listName = (kept: string, { engine }: ShardLocation, { data }: Settings): string =>
  `${engine === "sqlite" ? kept : join(data, kept)}.ndjson`;

const linesOf = (losses: readonly Loss[]): string =>
  losses
    .map(({ table, id }) => `${JSON.stringify({ id, table, why: "it cannot be read" })}\n`)
    .join("");

const nothingFound = (shard: string, location: ShardLocation): CommandError =>
  new CommandError(
    `no record of ${shard} can be read in ${showLocation(location)}, and nothing was changed: restore ${shard} from a backup, or move it elsewhere and send all records again`,
  );

/** Throws StoreError if another version has written it. What keeps it from being opened otherwise is damage. */
async function checkVersion(shard: string, settings: Settings): Promise<void> {
  try {
    await withShard({ ...settings, withUnredacted: true }, shard, async () => {});
  } catch (error) {
    const { cause, message } = error as StoreError;
    const { code = "" } = (cause ?? {}) as { code?: string };
    const isDamage =
      error instanceof DamagedData ||
      error instanceof OtherOwner ||
      /^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(code);
    if (!isDamage) throw error;
    note(`${shard} is damaged: ${message}`);
  }
}

/** E.g. 20261117-021500, in UTC. */
const timeStamp = (now: Date): string =>
  now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");

const OLD_SHARD = {
  sqlite: (kept: string) => `The old file is kept as ${kept}: delete it when`,
  postgres: (kept: string) =>
    `The old schema is kept as ${kept}: drop it (DROP SCHEMA ${kept} CASCADE) when`,
};

/** From this share of lost records on, a backup has probably more. */
const LARGE_LOSS = 0.1;

function describe(report: Report, engine: ShardLocation["engine"]): string {
  const { shard, isDryRun, kept, list, records, lost } = report;
  const lines = [
    `${shard} ${isDryRun ? "can be" : "is"} repaired: ${counted(records, "record")} (${report.served} served, ${report.withheld} withheld).`,
  ];
  if (lost === 0) lines.push("No record is lost.");
  else lines.push(`${counted(lost, "record")} could not be restored.`);
  if (lost > LARGE_LOSS * records) {
    lines.push("That is a large part: a backup, and what was sent since then, may have more.");
  }
  if (report.lostRedactions) {
    lines.push(
      `Part of the list of redacted players could not be restored: run 'matchbook redact ${shard} PLAYER --force --yes' for whoever is missing in 'matchbook redact --list ${shard}' before you ingest.`,
    );
  }
  if (report.isCutoffLost) {
    lines.push(
      `The prune cutoff is lost; it is set to ${report.prunedBefore}, after the newest pruned match that is known. Run 'matchbook prune ${shard} --older-than DAYS' before you ingest old records: those of pruned matches would count twice.`,
    );
  }
  if (report.isWalCut) {
    lines.push(
      "The end of its -wal is damaged, or was never committed: ingest the latest records again.",
    );
  }
  if (isDryRun) lines.push("Nothing was changed.");
  if (list && lost > 0) {
    lines.push(
      `${list} lists the ids of what is missing:`,
      "ingest these records again, from their source or from an export.",
    );
  } else if (list) lines.push(`${list} lists what is missing.`);
  if (kept) lines.push(`${OLD_SHARD[engine](kept)} you do not need it any more.`);
  return lines.join("\n");
}
