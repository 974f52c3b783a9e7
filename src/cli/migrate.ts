/** `matchbook migrate`: migrates shards of older formats. */

import { buildInsights } from "../ingest/build-insights.ts";
import type { Observe } from "../observe/events.ts";
import { locationOf, migrateShard, openWriter, storesIn } from "../open-stores.ts";
import type { Settings } from "../settings/definitions.ts";
import type { ShardLocation } from "../settings/shard-locations.ts";
import { type OnProgress, StoreError } from "../store/store.ts";
import { type AddCommand, note, print, settingsOf, withExamples, withSettings } from "./command.ts";
import { type Progress, startProgress } from "./progress.ts";
import { unknownShard } from "./shard-store.ts";
import { describeError } from "./system-errors.ts";
import { table } from "./table.ts";

export const migrate: AddCommand = (program) => {
  const command = program
    .command("migrate")
    .summary("migrate shards to the format of this version")
    .description(
      "migrate shards to the format of this version; all shards by default. Make a backup first: it is the only way back.\n" +
        "Servers of this version and ingest migrate SQLite files themselves, but never PostgreSQL.\n" +
        "It also builds the insights that an older shard lacks, which servers otherwise do in the background.\n" +
        "It can be interrupted: the next run continues.\n" +
        "Exit codes: 1 a shard could not be migrated; 2 wrong usage.",
    )
    .argument("[shards...]", "shard ids")
    .option("--json", "print one JSON object by shard id, with the formats before and after")
    .action(async (wanted: string[], flags: { json?: true }) => {
      const settings = settingsOf(command).values;
      const formats = await migrateAll(settings, idsToMigrate(settings, wanted));
      if (flags.json) print(asJson(formats));
      else if (formats.size > 0) print(asTable(formats));
      else if (wanted.length === 0 && !process.exitCode)
        note(`No shards in ${settings.data} yet: there is nothing to migrate.`);
    });
  withSettings(command);
  withExamples(command, [
    ["matchbook migrate", "migrate every shard that needs it"],
    ["matchbook migrate na eu", "migrate two shards"],
    ["matchbook migrate --json", "print JSON"],
  ]);
};

interface Formats {
  from: number;
  to: number;
}

interface Migrated extends Formats {
  /** How many matches and players were counted for insights that the shard lacked. */
  counted: number;
}

function idsToMigrate({ data, shards }: Settings, wanted: readonly string[]): readonly string[] {
  const ids = shards.length > 0 ? shards.map(({ id }) => id).sort() : storesIn(data);
  const unknown = wanted.find((id) => !ids.includes(id));
  if (unknown !== undefined) throw unknownShard(unknown, ids);
  return wanted.length > 0 ? [...new Set(wanted)] : ids;
}

/** A shard that cannot be migrated is reported, and the next one is tried. */
async function migrateAll(
  settings: Settings,
  ids: readonly string[],
): Promise<Map<string, Migrated>> {
  const formats = new Map<string, Migrated>();
  for (const shard of ids) {
    try {
      const location = locationOf(settings, shard);
      const migrated = await migrateShard(shard, location, (from, to) => {
        noteMigration({ event: "shard-migrating", shard, from, to });
        return showProgress(shard, "rows");
      });
      if (migrated) formats.set(shard, { ...migrated, counted: await build(shard, location) });
      else note(`${shard}: there are no records yet`);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      note(`${shard}: ${describeError(error)}`);
      process.exitCode = 1;
    }
  }
  return formats;
}

async function build(shard: string, location: ShardLocation): Promise<number> {
  const writer = openWriter(shard, location);
  try {
    const onProgress = showProgress(shard, "records");
    const { matches, players } = await buildInsights(writer, { onProgress });
    return matches + players;
  } finally {
    await writer.close();
  }
}

/** On a terminal, a line that is removed at the end. */
function showProgress(shard: string, what: "rows" | "records"): OnProgress {
  let progress: Progress | undefined;
  return (done, total) => {
    progress ??= startProgress(shard, total, what);
    progress.update(done, done);
    if (done === total) progress.stop();
  };
}

function asTable(formats: ReadonlyMap<string, Migrated>): string {
  return table([...formats].map(([shard, migrated]) => [shard, describe(migrated)]));
}

function describe({ from, to, counted }: Migrated): string {
  if (from !== to) return `migrated from format ${from} to ${to}`;
  return counted > 0 ? `format ${to}, insights built` : `format ${to}, nothing to do`;
}

function asJson(formats: ReadonlyMap<string, Migrated>): string {
  const entries = [...formats].map(([shard, { from, to }]): [string, Formats] => [
    shard,
    { from, to },
  ]);
  return JSON.stringify(Object.fromEntries(entries));
}

/** Reports on standard error that a migration begins. */
export const noteMigration: Observe = (event) => {
  if (event.event !== "shard-migrating") return;
  note(`Migrating shard ${event.shard} from format ${event.from} to ${event.to}.`);
};
