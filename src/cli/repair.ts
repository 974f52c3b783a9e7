/** `matchbook repair`: rebuilds a damaged shard from its records. */

import { damageAt, locationOf, openRepair, storesIn } from "../open-stores.ts";
import { readList, redactionsOf } from "../redact/list-file.ts";
import { MovedAsideFile } from "../repair/moved-aside.ts";
import { type Rebuilt, rebuild } from "../repair/rebuild.ts";
import type { Settings } from "../settings/definitions.ts";
import { type SqliteLocation, showLocation } from "../settings/shard-locations.ts";
import { type Counts, MigrationNeeded } from "../store/store.ts";
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

/** Records could not be restored. */
const INCOMPLETE = 3;

export const repair: AddCommand = (program) => {
  const command = program
    .command("repair")
    .summary("rebuild a damaged shard from its records")
    .description(
      "rebuild a damaged SQLite shard: players, teams, indexes and totals are computed again from the records.\n" +
        "Records that are damaged themselves are listed in a file beside the shard; ingest them again from their source.\n" +
        "The shard is built in a new file, which needs as much space, is checked, and then replaces the damaged one; that is " +
        "kept under another name. Servers may continue, and open the new file within a second; ingest into the shard waits.\n" +
        "It can be killed at any time: then the shard is as it was, and the next run starts over.\n" +
        "Exit codes: 0 nothing is lost, or there is nothing to repair; 1 it failed, and the shard is as it was; " +
        "2 wrong usage; 3 the shard is repaired, but records could not be restored.",
    )
    .argument("<shard>", "shard id")
    .option("--dry-run", "build and check the new file and report, but do not use it")
    .option("--force", "rebuild the shard even if no damage is found, or if its format is older")
    .option("--json", "print one JSON object")
    .action(async (shard: string, flags: Flags) => {
      const settings = settingsOf(command).values;
      const report = await repairShard(shard, fileOf(settings, shard), settings, flags);
      print(flags.json ? JSON.stringify(report) : describe(report));
      if (report.state === "incomplete") process.exitCode = INCOMPLETE;
    });
  withSettings(command, ["batch"]);
  withExamples(command, [
    ["matchbook repair na", "repair a shard"],
    ["matchbook repair na --dry-run", "report what would be lost, and change nothing"],
    ["matchbook repair na --json | jq -r .list", "print the name of the list of what was lost"],
  ]);
};

/** Throws CommandError if the shard does not exist, or is not in a file. */
function fileOf(settings: Settings, id: string): SqliteLocation {
  const { data, shards } = settings;
  const ids = shards.length > 0 ? shards.map((shard) => shard.id).sort() : storesIn(data);
  if (!ids.includes(id)) throw unknownShard(id, ids);
  const location = locationOf(settings, id);
  if (location.engine === "sqlite") return location;
  throw new CommandError(
    `repair works on SQLite files, and ${id} is in PostgreSQL (${showLocation(location)}): restore it with the tools of PostgreSQL, or ingest all records again into an empty schema`,
  );
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
  /** The name of the damaged file now, and of the list of what could not be restored; null if there is none. */
  kept?: string | null;
  list?: string | null;
}

async function repairShard(
  shard: string,
  location: SqliteLocation,
  { data, batch }: Settings,
  flags: Flags,
): Promise<Report> {
  const isDryRun = flags.dryRun === true;
  const damage = findDamage(location, flags.force === true);
  if (damage === undefined && !flags.force) {
    return { shard, state: "undamaged", isDryRun, damage: null };
  }
  if (damage !== undefined) note(`${shard} is damaged: ${damage}`);
  const files = openRepair(location);
  const aside = new MovedAsideFile(`${files.newPath}.ndjson`);
  const bar = new Bar();
  try {
    const { pages } = files.source;
    const target = files.open();
    const rebuilt = await rebuild(files.source, target, {
      batch,
      redactions: redactionsOf(readList(data), shard),
      onAside: (one) => aside.add(one),
      onProgress: (page, records) => bar.show("repair", pages, page, records),
    });
    const counts = await target.counts();
    files.complete((rows) => bar.show("check", 0, rows, rows, "rows"));
    const isComplete = isNothingLost(rebuilt);
    const report: Report = {
      shard,
      state: isComplete ? "repaired" : "incomplete",
      isDryRun,
      damage: damage ?? null,
      ...rebuilt,
      ...sumsOf(counts),
      isWalCut: files.isWalCut,
      kept: null,
      list: null,
    };
    if (isDryRun) return report;
    const kept = files.nameAfter(`.damaged-${timeStamp(new Date())}`);
    const list = isComplete ? null : `${kept}.ndjson`;
    // Before the swap: a process that is killed in between must not lose the list.
    if (list !== null) aside.keepAs(list);
    files.swap(kept);
    return { ...report, kept, list };
  } finally {
    bar.stop();
    aside.close();
    files.close();
  }
}

/** Undefined if there is none. Throws StoreError if the file is not a shard of this version. */
function findDamage(location: SqliteLocation, isForced: boolean): string | undefined {
  const bar = new Bar();
  try {
    return damageAt(location, (rows) => bar.show("check", 0, rows, rows, "rows"));
  } catch (error) {
    // The records have been the same in all formats.
    if (isForced && error instanceof MigrationNeeded) return undefined;
    throw error;
  } finally {
    bar.stop();
  }
}

const isNothingLost = ({ lost, conflicts, pages, isCompared }: Rebuilt): boolean =>
  lost + conflicts === 0 && (pages === 0 || isCompared);

const sumsOf = ({ served, withheld }: Counts) => ({
  served,
  withheld: Object.values(withheld).reduce((sum, count) => sum + count, 0),
});

/** E.g. 20261117-021500, in UTC. */
const timeStamp = (now: Date): string =>
  now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");

function describe(report: Report): string {
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
  if (list) {
    lines.push(
      `What is missing is listed in ${list}:`,
      "ingest it again from its source or from an export (matchbook ingest FILE).",
    );
  }
  if (kept)
    lines.push(`The old file is kept as ${kept}: delete it when you do not need it any more.`);
  return lines.join("\n");
}

function lossesOf({ state, lost = 0, conflicts = 0, pages = 0, isCompared }: Report): string[] {
  if (state === "repaired") return ["No record is lost."];
  const lines: string[] = [];
  if (lost > 0) lines.push(`${count(lost, "record")} could not be restored.`);
  if (conflicts > 0) lines.push(`${count(conflicts, "record")} had the id of another one.`);
  if (pages > 0 && !isCompared) {
    lines.push(
      `${count(pages, "page")} of the file cannot be read, and neither can the index that lists the records on them: further records may be lost.`,
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
