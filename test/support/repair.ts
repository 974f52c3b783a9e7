/** A shard to damage and repair, and what it is when nothing is lost. */

import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { damageIn } from "./check.ts";
import { type SqliteRows, settle, sqliteRows } from "./engine-sqlite.ts";
import { digestAt, ingestAt, linesOf, lookInto } from "./places.ts";
import { matchbook } from "./process.ts";
import { countsOf } from "./state.ts";

export interface DamagedShard {
  data: string;
  path: string;
  rows: SqliteRows;
}

/** Ingests records of the shard na, and returns what makes copies of it. */
export async function aShardToDamage(folder: string, matches: number) {
  const lines = linesOf("na", matches, Date.UTC(2026, 6, 1));
  const data = join(folder, "original");
  mkdirSync(data);
  await ingestAt(data, lines);
  const original = join(data, "na.db");
  settle(original);
  let made = 0;
  return {
    lines,
    original,
    state: await stateOf(data),
    copy(): DamagedShard {
      const at = join(folder, `copy-${made++}`);
      mkdirSync(at);
      const path = join(at, "na.db");
      copyFileSync(original, path);
      return { data: at, path, rows: sqliteRows(path) };
    },
  };
}

/** Everything that the shard na of a folder serves and holds, and what a check of it finds. */
export async function stateOf(data: string) {
  const { digest } = await digestAt(data);
  const counts = (await countsOf(data)).na;
  return {
    digest,
    counts,
    actors: await actorsIn(data),
    damage: await damageIn(join(data, "na.db")),
  };
}

/** The statistics of actors in the shard na of a folder: of stored matches, and of pruned ones. */
export const actorsIn = (data: string) =>
  lookInto(data, (writer) =>
    writer.survey(async (state) => ({
      stored: await state.actorTotals(false, undefined, 10_000),
      pruned: await state.actorTotals(true, undefined, 10_000),
    })),
  );

/** Runs the command, and returns what it printed. */
export async function repair(data: string, ...flags: string[]) {
  const { exitCode, stdout, stderr } = await matchbook([
    "repair",
    "na",
    "--json",
    "--data",
    data,
    ...flags,
  ]);
  return { exitCode, stderr, report: stdout === "" ? undefined : JSON.parse(stdout) };
}
