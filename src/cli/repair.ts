/** `matchbook repair`: rebuilds a damaged shard from its records. */

import { join } from "node:path";
import { readRedactionList } from "../open-access.ts";
import { damageAt, locationOf, openRepair, storesIn } from "../open-stores.ts";
import { listedIn, redactionsOf } from "../redact/list.ts";
import { MovedAsideFile } from "../repair/moved-aside.ts";
import { type Rebuilt, rebuild } from "../repair/rebuild.ts";
import type { Settings } from "../settings/definitions.ts";
import { type ShardLocation, showLocation } from "../settings/shard-locations.ts";
import type { Counts } from "../store/store.ts";
import {
  type AddCommand,
  CommandError,
  note,
  print,
  settingsOf,
  withExamples,
  withSettings,
} from "./command.ts";
import { type Progress, startProgress } from "./progress.ts";
import { unknownShard } from "./shard-store.ts";

interface Flags {
  dryRun?: true;
  force?: true;
  json?: true;
}

/** Records, redactions or the prune cutoff could not be restored. */
const INCOMPLETE = 3;

export const repair: AddCommand = (program) => {
  const command = program
    .command("repair")
    .summary("rebuild a damaged shard from its records")
    .description(
      "rebuild a damaged shard: players, teams, indexes and totals are computed again from the records.\n" +
        "Records that are damaged themselves are listed in a file beside the shard (of PostgreSQL: in the data folder); " +
        "ingest them again from their source.\n" +
        "The shard is built in a new file or schema, which needs as much space, is checked, and then replaces the damaged " +
        "one; that is kept under another name. Servers may continue, and read the new one within a second; ingest into " +
        "the shard waits.\n" +
        "It can be killed at any time: then the shard is as it was, and the next run starts over.\n" +
        "Exit codes: 0 nothing is lost, or there is nothing to repair; 1 it failed, and the shard is as it was; " +
        "2 wrong usage; 3 the shard is repaired, but records, redactions or the prune cutoff could not be restored.",
    )
    .argument("<shard>", "shard id")
    .option("--dry-run", "build and check the new shard and report, but do not use it")
    .option("--force", "rebuild the shard even if no damage is found")
    .option("--json", "print one JSON object")
    .action(async (shard: string, flags: Flags) => {
      const settings = settingsOf(command).values;
      const location = existing(settings, shard);
      const report = await repairShard(shard, location, settings, flags);
      print(flags.json ? JSON.stringify(report) : describe(report, location.engine));
      if (report.state === "incomplete") process.exitCode = INCOMPLETE;
    });
  withSettings(command, ["batch"]);
  withExamples(command, [
    ["matchbook repair na", "repair a shard"],
    ["matchbook repair na --dry-run", "report what would be lost, and change nothing"],
    ["matchbook repair na --json | jq -r .list", "print the name of the list of what was lost"],
  ]);
};

/** Throws CommandError if the shard does not exist. */
function existing(settings: Settings, id: string): ShardLocation {
  const { data, shards } = settings;
  const ids = shards.length > 0 ? shards.map((shard) => shard.id).sort() : storesIn(data);
  if (!ids.includes(id)) throw unknownShard(id, ids);
  return locationOf(settings, id);
}

interface Report extends Partial<Rebuilt> {
  shard: string;
  state: "undamaged" | "repaired" | "incomplete";
  isDryRun: boolean;
  /** The first damage found; null with --force. */
  damage: string | null;
  served?: number;
  withheld?: number;
  /** Whether the latest changes, in the WAL, could not be read completely. */
  isWalCut?: boolean;
  /** The name of the damaged file or schema now, and of the list of what could not be restored; null if there is none. */
  kept?: string | null;
  list?: string | null;
}

async function repairShard(
  shard: string,
  location: ShardLocation,
  settings: Settings,
  flags: Flags,
): Promise<Report> {
  const { data, batch } = settings;
  const isDryRun = flags.dryRun === true;
  const damage = await findDamage(shard, location);
  if (damage === undefined && !flags.force) {
    return { shard, state: "undamaged", isDryRun, damage: null };
  }
  if (damage !== undefined) note(`${shard} is damaged: ${damage}`);
  const repair = await openRepair(shard, location);
  // The list of what is in a database is a file too.
  const listOf = (name: string) =>
    `${location.engine === "sqlite" ? name : join(data, name)}.ndjson`;
  const aside = new MovedAsideFile(listOf(repair.newName));
  const bar = new Bar();
  try {
    const { pages } = repair.source;
    const target = await repair.open();
    const rebuilt = await rebuild(repair.source, target, {
      shard,
      batch,
      redactions: redactionsOf(listedIn(await readRedactionList(settings)), shard),
      onAside: (one) => aside.add(one),
      onProgress: (page, records) => bar.show("repair", pages, page, records),
    });
    if (rebuilt.records === 0 && rebuilt.foreign > 0) throw otherShards(shard, location);
    if (isNothingFound(rebuilt)) throw nothingFound(shard, location);
    const counts = await target.counts();
    await repair.complete((rows) => bar.show("check", 0, rows, rows, "rows"));
    const isComplete = isNothingLost(rebuilt);
    const report: Report = {
      shard,
      state: isComplete && !rebuilt.isCutoffLost ? "repaired" : "incomplete",
      isDryRun,
      damage: damage ?? null,
      ...rebuilt,
      ...sumsOf(counts),
      ...(repair.isWalCut !== undefined && { isWalCut: repair.isWalCut }),
      kept: null,
      list: null,
    };
    if (isDryRun) return report;
    const kept = await repair.keptName(timeStamp(new Date()));
    const list = isComplete ? null : listOf(kept);
    // Before the swap: a process that is killed in between must not lose the list.
    if (list !== null) aside.keepAs(list);
    await repair.swap(kept);
    return { ...report, kept, list };
  } finally {
    bar.stop();
    aside.close();
    await repair.close();
  }
}

const otherShards = (shard: string, location: ShardLocation): CommandError =>
  new CommandError(
    `all records in ${showLocation(location)} belong to other shards, and nothing was changed: put the right file back or restore a backup of ${shard}, or correct the settings`,
  );

/** An overwritten file: neither its records nor its indexes show what was in it. */
const isNothingFound = ({ records, lost, isCompared }: Rebuilt): boolean =>
  records + lost === 0 && !isCompared;

const nothingFound = (shard: string, location: ShardLocation): CommandError =>
  new CommandError(
    `no record can be found in ${showLocation(location)}, and nothing was changed: restore ${shard} from a backup, or move it elsewhere and send all records again`,
  );

/** Undefined if there is none. Throws StoreError if it is not a shard of this version. */
async function findDamage(shard: string, location: ShardLocation): Promise<string | undefined> {
  const bar = new Bar();
  try {
    return await damageAt(shard, location, (rows) => bar.show("check", 0, rows, rows, "rows"));
  } finally {
    bar.stop();
  }
}

const isNothingLost = (rebuilt: Rebuilt): boolean =>
  rebuilt.lostRedactions === 0 && isNoRecordLost(rebuilt);

const isNoRecordLost = ({
  lost = 0,
  foreign = 0,
  conflicts = 0,
  pages = 0,
  isCompared = false,
}: Partial<Rebuilt>): boolean => lost + foreign + conflicts === 0 && (pages === 0 || isCompared);

const sumsOf = ({ served, withheld }: Counts) => ({
  served,
  withheld: Object.values(withheld).reduce((sum, count) => sum + count, 0),
});

/** E.g. 20261117-021500, in UTC. */
const timeStamp = (now: Date): string =>
  now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");

const OLD_SHARD = {
  sqlite: (kept: string) => `The old file is kept as ${kept}: delete it when`,
  postgres: (kept: string) =>
    `The old schema is kept as ${kept}: drop it (DROP SCHEMA ${kept} CASCADE) when`,
};

function describe(report: Report, engine: ShardLocation["engine"]): string {
  const { shard, state, isDryRun, kept, list } = report;
  if (state === "undamaged") {
    return `${shard} is not damaged, so nothing was changed. Use --force to rebuild it anyway.`;
  }
  const lines = [
    `${shard} ${isDryRun ? "can be" : "is"} repaired: ${count(report.records!, "record")} (${report.served} served, ${report.withheld} withheld).`,
    ...lossesOf(report),
  ];
  if (report.isWalCut) {
    lines.push(
      "The end of its -wal is damaged, or was never committed: ingest the latest records again.",
    );
  }
  if (isDryRun) lines.push("Nothing was changed.");
  if (list && isNoRecordLost(report)) lines.push(`What is missing is listed in ${list}.`);
  else if (list) {
    lines.push(
      `What is missing is listed in ${list}:`,
      "ingest it again from its source or from an export (matchbook ingest FILE).",
    );
  }
  if (kept) lines.push(`${OLD_SHARD[engine](kept)} you do not need it any more.`);
  return lines.join("\n");
}

function lossesOf(report: Report): string[] {
  const { shard, lost = 0, foreign = 0, conflicts = 0, pages = 0, isCompared } = report;
  const { lostRedactions = 0 } = report;
  const lines = isNoRecordLost(report) ? ["No record is lost."] : [];
  if (lostRedactions > 0) {
    lines.push(
      `Part of the list of redacted players could not be restored: run 'matchbook redact ${shard} PLAYER --force' for whoever is missing in 'matchbook redact --list ${shard}' before you ingest.`,
    );
  }
  if (lost > 0) lines.push(`${count(lost, "record")} could not be restored.`);
  if (foreign > 0) {
    lines.push(
      `Left out: ${count(foreign, "record")} of other shards. Send all records of ${shard} again.`,
    );
  }
  if (conflicts > 0) lines.push(`${count(conflicts, "record")} had the id of another one.`);
  if (pages > 0 && !isCompared) {
    lines.push(
      `${count(pages, "page")} of the shard cannot be read, and neither can an index that lists the records on them: further records may be lost.`,
    );
  }
  if (report.isCutoffLost) {
    const now =
      report.prunedBefore === null
        ? "nothing says what it was"
        : `it is set to ${report.prunedBefore}, after the newest pruned match that is known`;
    lines.push(
      `The prune cutoff is lost; ${now}. Run 'matchbook prune ${report.shard} --older-than DAYS' before you ingest old records: those of pruned matches would count twice.`,
    );
  }
  return lines;
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;

/** One progress line after the other. */
class Bar {
  #label = "";
  #progress: Progress | undefined;

  show(label: string, total: number, done: number, records: number, what?: string): void {
    if (label !== this.#label) {
      this.stop();
      this.#progress = startProgress(label, total, what);
      this.#label = label;
    }
    this.#progress?.update(done, records);
  }

  stop(): void {
    this.#progress?.stop();
    this.#progress = undefined;
    this.#label = "";
  }
}
