/** Shards to damage and repair, and what they are when nothing is lost. */

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { FEATURES } from "../../src/features/list.ts";
import { settle, sqliteRows } from "./engine-sqlite.ts";
import {
  digestAt,
  homeAt,
  ingestAt,
  linesOf,
  lookInto,
  matchbookAt,
  settingsAt,
} from "./places.ts";
import { countsOf } from "./state.ts";
import { damageOf, verified } from "./verify.ts";

/** A data folder with the shard na in it. */
const inFile = (folder: string): string => homeAt(folder, `sqlite:${join(folder, "na.db")}`);

/** Ingests records of the shard na into a file, and returns what makes copies of it. */
export async function aShardToDamage(folder: string, matches: number) {
  const lines = linesOf("na", matches, Date.UTC(2026, 6, 1));
  const data = inFile(join(folder, "original"));
  await ingestAt(data, lines);
  const original = join(data, "na.db");
  settle(original);
  let made = 0;
  return {
    lines,
    original,
    state: await stateOf(data),
    copy() {
      const at = join(folder, `copy-${made++}`);
      const path = join(inFile(at), "na.db");
      copyFileSync(original, path);
      return { data: at, path, rows: sqliteRows(path) };
    },
  };
}

/** Everything that the shard na of a folder serves and holds, and what is damaged. */
export async function stateOf(data: string) {
  const { digest } = await digestAt(data);
  const { na: counts } = await countsOf(data);
  const damage = damageOf(await verified(settingsAt(data), "na"));
  return { digest, counts, derived: await derivedIn(data), damage };
}

const DERIVED = FEATURES.flatMap(({ derived = [] }) => derived.map(({ table }) => table));

/** The rows that features derive in the shard na of a folder: of stored matches, and what they keep of pruned ones. */
const derivedIn = (data: string) =>
  lookInto(data, (writer) =>
    writer.survey((state) =>
      Promise.all(
        DERIVED.map(async (table) => {
          const rows = await state.rows(table, { after: undefined, limit: 10_000 });
          const { keeps } = table.derived ?? {};
          return { table: table.name, rows, kept: keeps ? rows.filter((row) => row[keeps]) : rows };
        }),
      ),
    ),
  );

/** Runs the command, and returns what it printed. */
export async function repair(data: string, ...flags: string[]) {
  const args = ["repair", "na", "--json", ...flags];
  const { exitCode, stdout, stderr } = await matchbookAt(data, args);
  return { exitCode, stderr, report: stdout === "" ? undefined : JSON.parse(stdout) };
}
