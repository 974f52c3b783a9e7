/** `matchbook migrate`: migrates shards of older formats. */

import type { Observe } from "../observe/events.ts";
import { locationOf, migrateShard, storesIn } from "../open-stores.ts";
import type { Settings } from "../settings/definitions.ts";
import { StoreError } from "../store/store.ts";
import { type AddCommand, note, print, settingsOf, withExamples, withSettings } from "./command.ts";
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
        "It can be interrupted: the next run continues.\n" +
        "Exit codes: 1 a shard could not be migrated; 2 wrong usage.",
    )
    .argument("[shards...]", "shard ids")
    .option("--json", "print one JSON object by shard id, with the formats before and after")
    .action(async (wanted: string[], flags: { json?: true }) => {
      const settings = settingsOf(command).values;
      const formats = await migrateAll(settings, idsToMigrate(settings, wanted));
      if (flags.json) print(JSON.stringify(Object.fromEntries(formats)));
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
): Promise<Map<string, Formats>> {
  const formats = new Map<string, Formats>();
  for (const shard of ids) {
    try {
      const migrated = await migrateShard(shard, locationOf(settings, shard), (from, to) =>
        noteMigration({ event: "shard-migrating", shard, from, to }),
      );
      if (migrated) formats.set(shard, migrated);
      else note(`${shard}: there are no records yet`);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      note(`${shard}: ${describeError(error)}`);
      process.exitCode = 1;
    }
  }
  return formats;
}

function asTable(formats: ReadonlyMap<string, Formats>): string {
  return table([...formats].map(([shard, found]) => [shard, describe(found)]));
}

const describe = ({ from, to }: Formats): string =>
  from === to ? `format ${to}, nothing to do` : `migrated from format ${from} to ${to}`;

/** Reports on standard error that a migration begins. */
export const noteMigration: Observe = (event) => {
  if (event.event !== "shard-migrating") return;
  note(`Migrating shard ${event.shard} from format ${event.from} to ${event.to}.`);
};
