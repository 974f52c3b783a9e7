/** `matchbook verify`: looks for damage in shards, and compares what is derived from the records with a rebuild. */

import { accessSync, constants, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Settings } from "../settings/definitions.ts";
import type { Shards } from "../store/shards.ts";
import { StoreError } from "../store/store.ts";
import { describeError } from "../text/system-errors.ts";
import { lowerPriority } from "../verify/priority.ts";
import { type Verified, verifyShard } from "../verify/verify.ts";
import { CommandError, defineCommand, note } from "./command.ts";
import { withProgress } from "./progress.ts";
import { chosenShards, noShardsYet, SHARDS, withShards } from "./shard-store.ts";
import { storeVerdict } from "./store-verdict.ts";

interface Flags {
  quick?: true;
  fullSpeed?: true;
}

/** Of the time. */
const SHARE = 0.25;
/** How many damaged records of each shard are printed. */
const MOST_DAMAGE = 100;

export const verify = defineCommand<Flags>({
  name: "verify",
  summary: "look for damage in shards",
  description:
    "look for damage in shards; all shards by default. It changes nothing in them, so that it also works on a backup.\n" +
    "It verifies every row and every index. Then it rebuilds each shard from its records in the data folder, for which it needs twice the space of the shard, and compares all rows.\n" +
    "Serving and ingest continue meanwhile. It runs at a low priority, for a quarter of the time.\n" +
    "Exit codes: 0 no damage; 1 damage was found, or a shard cannot be read or compared; 2 wrong usage.",
  arguments: SHARDS,
  options: {
    "--quick": "verify rows and indexes only, without a rebuild",
    "--full-speed": "neither pause nor lower the priority, e.g. for a backup",
  },
  json: "print one JSON object by shard id",
  examples: {
    "matchbook verify": "verify every shard",
    "matchbook verify na --quick": "verify the rows and indexes of one shard",
    "matchbook verify --data /var/backups/matchbook --full-speed": "verify a backup",
    "matchbook verify --json | jq -r '.na.damage[].detail'": "print what is damaged in na",
  },
  run: ({ settings, flags }, wanted: string[]) =>
    withShards(settings, async (shards) => {
      const ids = chosenShards(await shards.list(), wanted);
      if (ids.length === 0 && !existsSync(settings.data)) {
        throw new CommandError(`there is nothing to verify in ${settings.data}: check --data`);
      }
      if (!flags.fullSpeed) lowerPriority();
      const reports: Record<string, Report> = {};
      for (const id of ids) {
        const report = await verifyOne(settings, shards, id, flags);
        if (report) reports[id] = report;
        else note(`${id}: there are no records yet`);
      }
      if (Object.values(reports).some(({ state }) => state !== "clean")) process.exitCode = 1;
      return {
        json: reports,
        text: Object.entries(reports).map(describe).join("\n"),
        none: ids.length === 0 && noShardsYet(settings, "there is nothing to verify"),
      };
    }),
});

type Report = NonNullable<Awaited<ReturnType<typeof verifyOne>>>;

/** Undefined if there is no shard yet. One that cannot be read is reported, and the next one is verified. */
async function verifyOne(
  settings: Settings,
  shards: Shards,
  id: string,
  { quick, fullSpeed }: Flags,
) {
  const began = performance.now();
  let verified: Verified | undefined;
  let failure: StoreError | undefined;
  try {
    verified = await withProgress(`verify ${id}`, 0, "rows", (update) =>
      verifyShard(shards, id, {
        quick: quick === true,
        share: fullSpeed ? 1 : SHARE,
        limit: MOST_DAMAGE,
        scratch: writableFolder(settings.data),
        onProgress: update,
      }),
    );
    if (!verified) return undefined;
    await storeVerdict(settings, shards, id, verified);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    failure = error;
  }
  const { rows = 0, isComplete = false, damaged = 0, damage = [], why } = verified ?? {};
  return {
    state: failure ? "unreadable" : damaged > 0 ? "damaged" : why ? "incomplete" : "clean",
    // Why the shard cannot be read, or not be compared; null if it can.
    problem: failure ? describeError(failure) : (why ?? null),
    rows,
    // Whether everything was compared with a rebuild; false with --quick, and if damage prevents it.
    rebuilt: isComplete,
    damaged,
    damage,
    milliseconds: Math.round(performance.now() - began),
  };
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

function describe([id, report]: [string, Report]): string {
  const { state, problem, damaged, damage } = report;
  if (state === "unreadable") return `${id}: cannot be read: ${problem}`;
  const what = damaged > 0 ? `${damaged} damaged` : "no damage";
  const lines = [
    `${id}: ${what} (${report.rows} rows in ${(report.milliseconds / 1000).toFixed(1)} s)`,
    ...damage.map(({ table, detail }) => `  ${table}: ${detail}`),
    ...(damaged > damage.length ? [`  and ${damaged - damage.length} more`] : []),
    ...(problem === null ? [] : [`  Not verified completely: ${problem}.`]),
  ];
  if (state === "damaged") {
    lines.push(
      `  Run 'matchbook repair ${id}', or restore the shard from a backup and send the records since then again.`,
    );
  }
  return lines.join("\n");
}
