/** A shard to damage and repair, and what it is when nothing is lost. */

import { Database } from "bun:sqlite";
import { closeSync, copyFileSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { damageIn } from "./check.ts";
import { digestAt, ingestAt, linesOf, lookInto } from "./places.ts";
import { matchbook } from "./process.ts";
import { countsOf } from "./state.ts";

export interface DamagedShard {
  data: string;
  path: string;
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
      return { data: at, path };
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

/** Changes rows as SQLite would not: without what belongs to them. */
export function change(path: string, ...statements: string[]): void {
  const database = new Database(path);
  for (const sql of statements) database.run(sql);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

/** Copies everything from the WAL into the file. */
export const settle = (path: string) => change(path);

export const PAGE_SIZE = 8192;

/** Overwrites a page with what is not part of any table. */
export function overwritePage(path: string, page: number): void {
  const bytes = Buffer.alloc(PAGE_SIZE, "no page of a table looks like this. ");
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, PAGE_SIZE, (page - 1) * PAGE_SIZE);
  closeSync(file);
}

/** The pages of a table or index: its root first. */
export function pagesOf(path: string, name: string, type?: "leaf" | "internal"): number[] {
  // Not read-only: it would leave a WAL.
  const database = new Database(path);
  const pages = database
    .query<{ pageno: number }, [string, string | null]>(
      "SELECT pageno FROM dbstat WHERE name = ?1 AND (?2 IS NULL OR pagetype = ?2) ORDER BY path",
    )
    .all(name, type ?? null);
  database.close();
  return pages.map(({ pageno }) => pageno);
}

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
