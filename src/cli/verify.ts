/** `matchbook verify`: looks for damage in shards, and compares what is derived from the records with a rebuild. */

import { accessSync, constants } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import type { Settings } from "../settings/definitions.ts";
import { wholeNumber } from "../settings/parsers.ts";
import type { Shards } from "../store/shards.ts";
import { MigrationNeeded, StoreError } from "../store/store.ts";
import { type Verified, verifyShard } from "../verify/verify.ts";
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
import { storeVerdict } from "./store-verdict.ts";
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
        "It verifies every row and every index. Then it rebuilds each shard from its records in the data folder, for which it needs twice the space of the shard, and compares all rows.\n" +
        "Serving and ingest continue meanwhile. It runs at the lowest priority, for a quarter of the time.\n" +
        "Exit codes: 0 no damage; 1 damage was found, or a shard cannot be read or compared; 2 wrong usage.",
    )
    .argument("[shards...]", "shard ids")
    .option("--quick", "verify rows and indexes only, without a rebuild")
    .option("--full-speed", "neither pause nor lower the priority, e.g. for a backup")
    .option("--limit <N>", "how many damaged records of each shard to print", "100")
    .option("--json", "print one JSON object by shard id")
    .action(async (wanted: string[], flags: Flags) => {
      const limit = flagValue("--limit", flags.limit, wholeNumber(1, MAX_LIMIT));
      const settings = settingsOf(command).values;
      const reports = await verifyAll(settings, wanted, flags, limit);
      if (flags.json) print(JSON.stringify(Object.fromEntries(reports)));
      else for (const [id, report] of reports) print(describe(id, report));
      if (reports.size === 0 && wanted.length === 0)
        note(`No shards in ${settings.data} yet: there is nothing to verify.`);
      if ([...reports.values()].some(({ state }) => state !== "clean")) process.exitCode = 1;
    });
  withSettings(command);
  withExamples(command, [
    ["matchbook verify", "verify every shard"],
    ["matchbook verify na --quick", "verify the rows and indexes of one shard"],
    ["matchbook verify --data /var/backups/matchbook --full-speed", "verify a backup"],
    ["matchbook verify --json | jq -r '.na.damage[].detail'", "print what is damaged in na"],
  ]);
};

type State = "clean" | "damaged" | "incomplete" | "needs-migration" | "unreadable";

export interface Report extends Pick<Verified, "rows" | "damaged" | "damage"> {
  state: State;
  /** Why the shard cannot be read, or not be compared; null if it can. */
  problem: string | null;
  /** Null if the shard cannot say. */
  matches: number | null;
  withheld: number | null;
  players: number | null;
  teams: number | null;
  /** Whether everything was compared with a rebuild; false with --quick, and if damage prevents it. */
  rebuilt: boolean;
  milliseconds: number;
}

const LOWEST_PRIORITY = 19;
/** Of the time. */
const SHARE = 0.25;

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
      const report = await verifyOne(settings, shards, id, flags, limit);
      if (report) reports.set(id, report);
      else note(`${id}: there are no records yet`);
    }
  });
  return reports;
}

/** A backup may be on a read-only disk. */
function writableFolder(data: string): string {
  try {
    accessSync(data, constants.W_OK);
    return data;
  } catch {
    return tmpdir();
  }
}

/** Undefined if there is no shard yet. */
async function verifyOne(
  settings: Settings,
  shards: Shards,
  id: string,
  { quick, fullSpeed }: Flags,
  limit: number,
): Promise<Report | undefined> {
  const began = performance.now();
  const progress = startProgress(`verify ${id}`, 0, "rows");
  let verified: Verified | undefined;
  let failure: StoreError | undefined;
  try {
    verified = await verifyShard(shards, id, {
      quick: quick === true,
      share: fullSpeed ? 1 : SHARE,
      limit,
      scratch: writableFolder(settings.data),
      onProgress: (rows) => progress.update(rows, rows),
    });
    if (!verified) return undefined;
    await storeVerdict(settings, shards, id, verified);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    failure = error;
  } finally {
    progress.stop();
  }
  const { damaged = 0, why } = verified ?? {};
  return {
    state: failure ? stateOf(failure) : damaged > 0 ? "damaged" : why ? "incomplete" : "clean",
    problem: failure ? describeError(failure) : (why ?? null),
    ...(await countsOf(shards, id)),
    rows: verified?.rows ?? 0,
    rebuilt: verified?.isComplete ?? false,
    damaged,
    damage: verified?.damage ?? [],
    milliseconds: Math.round(performance.now() - began),
  };
}

const stateOf = (failure: StoreError): State =>
  failure instanceof MigrationNeeded ? "needs-migration" : "unreadable";

async function countsOf(shards: Shards, id: string) {
  try {
    const { served, withheld, players, teams } = (await (
      await shards.existingWriter(id)
    )?.counts())!;
    const sum = Object.values(withheld).reduce((all, one) => all + one, 0);
    return { matches: served, withheld: sum, players, teams };
  } catch (error) {
    if (!(error instanceof StoreError || error instanceof TypeError)) throw error;
    return { matches: null, withheld: null, players: null, teams: null };
  }
}

function describe(id: string, report: Report): string {
  const { state, problem, damaged, damage } = report;
  if (state === "unreadable") return `${id}: cannot be read: ${problem}`;
  if (state === "needs-migration") return `${id}: needs migration: ${problem}`;
  const what = damaged > 0 ? `${damaged} damaged` : "no damage";
  const sizes = (["matches", "withheld", "players", "teams"] as const)
    .map((name) => `${report[name] ?? "?"} ${name}`)
    .join(", ");
  const lines = [
    `${id}: ${what} (${sizes} in ${(report.milliseconds / 1000).toFixed(1)} s)`,
    ...damage.map(({ table, detail }) => `  ${table}: ${detail}`),
    ...(damaged > damage.length ? [`  and ${damaged - damage.length} more: see --limit`] : []),
    ...(problem === null ? [] : [`  Not verified completely: ${problem}.`]),
  ];
  if (state === "damaged") {
    lines.push(
      "  Run 'matchbook repair', or restore the shard from a backup and send the records since then again.",
    );
  }
  return lines.join("\n");
}
