/** `matchbook verify`: looks for damage in shards, and compares what is derived from the records with a rebuild. */

import { existsSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { MANIFEST } from "../backup/manifest.ts";
import { formatTimestamp } from "../domain/time.ts";
import { accessFiles } from "../open-access.ts";
import type { Settings } from "../settings/definitions.ts";
import { wholeNumber } from "../settings/parsers.ts";
import type { Shards } from "../store/shards.ts";
import {
  type Checker,
  type Counts,
  DamagedData,
  MigrationNeeded,
  StoreError,
  type Writer,
} from "../store/store.ts";
import { recordVerified } from "../verify/last-verified.ts";
import { type Finding, Verification } from "../verify/verify.ts";
import {
  type AddCommand,
  flagValue,
  note,
  print,
  settingsOf,
  withExamples,
  withSettings,
} from "./command.ts";
import { startProgress } from "./progress.ts";
import { unknownShard, withShards } from "./shard-store.ts";
import { describeError } from "./system-errors.ts";

interface Flags {
  quick?: true;
  fullSpeed?: true;
  json?: true;
  limit: string;
}

const MAX_LIMIT = 10_000;

export const verify: AddCommand = (program) => {
  const command = program
    .command("verify")
    .summary("look for damage in shards")
    .description(
      "look for damage in shards; all shards by default. It changes nothing in them and never migrates, so that it also works on a backup.\n" +
        "It verifies checksums, indexes against records and back, and counts; for SQLite also the structure of the file. Then it rebuilds players, teams, visibility and counters from the records, and compares them with what is stored.\n" +
        "Serving and ingest continue meanwhile. It runs at the lowest priority, for a quarter of the time. 'matchbook doctor' shows the last result.\n" +
        "Exit codes: 0 no damage; 1 damage was found, or a shard cannot be read; 2 wrong usage.",
    )
    .argument("[shards...]", "shard ids")
    .option("--quick", "verify only checksums, indexes and counts, as servers do in the background")
    .option("--full-speed", "neither pause nor lower the priority, e.g. for a backup")
    .option("--limit <N>", "how many damaged records of each shard to print", "100")
    .option("--json", "print one JSON object by shard id")
    .action(async (wanted: string[], flags: Flags) => {
      const limit = flagValue("--limit", flags.limit, wholeNumber(1, MAX_LIMIT));
      const settings = settingsOf(command).values;
      const reports = await verifyAll(settings, wanted, flags, limit);
      record(settings, reports, flags.quick === true);
      if (flags.json) print(JSON.stringify(Object.fromEntries(reports)));
      else for (const [id, report] of reports) print(describe(id, report, flags.quick === true));
      if (reports.size === 0 && wanted.length === 0)
        note(`No shards in ${settings.data} yet: there is nothing to verify.`);
      if ([...reports.values()].some(({ state }) => state !== "clean")) process.exitCode = 1;
    });
  withSettings(command);
  withExamples(command, [
    ["matchbook verify", "verify every shard"],
    ["matchbook verify na --quick", "verify checksums, indexes and counts of one shard"],
    ["matchbook verify --data /var/backups/matchbook --full-speed", "verify a backup"],
    ["matchbook verify --json | jq -r '.na.damage[].detail'", "print what is damaged in na"],
  ]);
};

export interface Report {
  state: "clean" | "damaged" | "needs-migration" | "unreadable";
  /** Why the shard cannot be read; null if it can. */
  problem: string | null;
  /** Null if the shard has no records yet, or cannot say. */
  matches: number | null;
  withheld: number | null;
  players: number | null;
  teams: number | null;
  rows: number;
  /** Whether everything was compared with a rebuild; false with --quick, and if damage prevents it. */
  rebuilt: boolean;
  /** How many damaged records there are; `damage` has the first ones. */
  damaged: number;
  damage: Finding[];
  milliseconds: number;
}

/** For `matchbook doctor`. Nothing is written to a backup or a copy, which have a manifest or no keys. */
function record(settings: Settings, reports: ReadonlyMap<string, Report>, isQuick: boolean): void {
  const { data, "keys-database": keys } = settings;
  const hasKeys = keys !== undefined || accessFiles(settings).some(({ path }) => existsSync(path));
  if (!existsSync(data) || !hasKeys || existsSync(join(data, MANIFEST))) return;
  const at = formatTimestamp(Date.now());
  const complete = [...reports].filter(([, { problem }]) => problem === null);
  try {
    recordVerified(
      data,
      isQuick ? "quick" : "full",
      new Map(complete.map(([id, { damaged }]) => [id, { at, damaged }])),
    );
  } catch (error) {
    note(`The result is not recorded for 'matchbook doctor': ${describeError(error as Error)}`);
  }
}

/** By shard id. A shard that cannot be read is reported, and the next one is verified. */
async function verifyAll(
  settings: Settings,
  wanted: readonly string[],
  flags: Flags,
  limit: number,
): Promise<Map<string, Report>> {
  const reports = new Map<string, Report>();
  await withShards(settings, async (shards) => {
    const ids = await shards.list();
    const unknown = wanted.find((id) => !ids.includes(id));
    if (unknown !== undefined) throw unknownShard(unknown, ids);
    if (!flags.fullSpeed) setPriority(LOWEST_PRIORITY);
    for (const id of wanted.length > 0 ? new Set(wanted) : ids) {
      const report = await verifyShard(shards, id, flags, limit);
      if (report) reports.set(id, report);
      else note(`${id}: there are no records yet`);
    }
  });
  return reports;
}

/** Takes some 50 ms. */
const ROWS_PER_STEP = 1000;
const LOWEST_PRIORITY = 19;
/** Of the time. */
const SHARE = 0.25;

/** Undefined if there is no shard yet. */
export async function verifyShard(
  shards: Shards,
  id: string,
  { quick, fullSpeed }: Flags,
  limit: number,
): Promise<Report | undefined> {
  const began = performance.now();
  const progress = startProgress(`verify ${id}`, 0, "rows");
  const verification = new Verification({
    shard: id,
    limit,
    rows: ROWS_PER_STEP,
    async afterStep(rows, milliseconds) {
      progress.update(rows, rows);
      // Also at full speed, so that Ctrl-C works.
      await wait(fullSpeed ? 0 : milliseconds / SHARE - milliseconds);
    },
  });
  const { findings } = verification;
  let counts: Counts | undefined;
  let failure: StoreError | undefined;
  try {
    const checker = await shards.checker(id, "verify");
    if (!checker) return undefined;
    await check(verification, checker);
    const writer = await shards.existingWriter(id);
    counts = writer && (await countsOf(writer));
    if (writer && !quick) await verification.rebuild((work) => writer.survey(work));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    failure = error;
  } finally {
    progress.stop();
  }
  return {
    state: stateOf(failure, findings.damaged),
    problem: failure ? describeError(failure) : null,
    matches: counts?.served ?? null,
    withheld: counts ? Object.values(counts.withheld).reduce((sum, one) => sum + one, 0) : null,
    players: counts?.players ?? null,
    teams: counts?.teams ?? null,
    rows: findings.rows,
    rebuilt: findings.isComplete,
    damaged: findings.damaged,
    damage: findings.damage,
    milliseconds: Math.round(performance.now() - began),
  };
}

/** Closed before anything else is opened: SQLite removes the WAL that it created only with the last connection. */
async function check(verification: Verification, checker: Checker): Promise<void> {
  try {
    await verification.check(checker);
  } finally {
    await checker.close();
  }
}

/** Undefined if the row with the totals is damaged, which the check reports. */
async function countsOf(writer: Writer): Promise<Counts | undefined> {
  try {
    return await writer.counts();
  } catch (error) {
    if (error instanceof DamagedData) return undefined;
    throw error;
  }
}

function stateOf(failure: StoreError | undefined, damaged: number): Report["state"] {
  if (failure instanceof MigrationNeeded) return "needs-migration";
  if (failure) return "unreadable";
  return damaged > 0 ? "damaged" : "clean";
}

function describe(id: string, report: Report, isQuick: boolean): string {
  const { damaged, damage, state } = report;
  const lines = [
    ...damage.map(({ table, detail }) => `  ${table}: ${detail}`),
    ...(damaged > damage.length ? [`  and ${damaged - damage.length} more: see --limit`] : []),
  ];
  if (state === "damaged" && !report.rebuilt && !isQuick) {
    lines.push("  Not everything was compared with the records, because of this damage.");
  }
  if (state === "damaged") {
    lines.push(
      "  Run 'matchbook repair', or restore the shard from a backup and send the records since then again.",
    );
  }
  return [`${id}: ${summaryOf(report)}`, ...lines].join("\n");
}

function summaryOf(report: Report): string {
  const { state, problem, damaged } = report;
  if (state === "unreadable") return `cannot be read: ${problem}`;
  if (state === "needs-migration") return `needs migration: ${problem}`;
  const count = (name: "matches" | "withheld" | "players" | "teams") =>
    `${report[name] ?? "?"} ${name}`;
  const size = `${count("matches")}, ${count("withheld")}, ${count("players")}, ${count("teams")}`;
  const what = state === "clean" ? "no damage" : `${damaged} damaged`;
  return `${what} (${size} in ${(report.milliseconds / 1000).toFixed(1)} s)`;
}
