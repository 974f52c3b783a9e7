/** `matchbook migrate`: migrates shards of older formats. */

import type { Observe } from "../observe/events.ts";
import { locationOf, migrateShard } from "../open-stores.ts";
import { StoreError } from "../store/store.ts";
import { defineCommand, note } from "./command.ts";
import { chosenShards, noShardsYet, SHARDS, shardIds } from "./shard-store.ts";
import { describeError } from "./system-errors.ts";
import { table } from "./table.ts";

export const migrate = defineCommand({
  name: "migrate",
  description:
    "migrate shards to the format of this version; all shards by default. Make a backup first: it is the only way back.\n" +
    "Servers of this version and ingest migrate SQLite files themselves, but never PostgreSQL.\n" +
    "It can be interrupted: the next run continues.\n" +
    "Exit codes: 1 a shard could not be migrated; 2 wrong usage.",
  arguments: SHARDS,
  json: "print one JSON object by shard id, with the formats before and after",
  examples: {
    "matchbook migrate": "migrate every shard that needs it",
    "matchbook migrate na eu": "migrate two shards",
  },
  async run({ settings }, wanted: string[]) {
    const ids = chosenShards(shardIds(settings), wanted);
    const formats: Record<string, { from: number; to: number }> = {};
    for (const shard of ids) {
      try {
        const migrated = await migrateShard(shard, locationOf(settings, shard), (from, to) =>
          noteMigration({ event: "shard-migrating", shard, from, to }),
        );
        if (migrated) formats[shard] = migrated;
        else note(`${shard}: there are no records yet`);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        note(`${shard}: ${describeError(error)}`);
        process.exitCode = 1;
      }
    }
    const rows = Object.entries(formats).map(([shard, { from, to }]) => [
      shard,
      from === to ? `format ${to}, nothing to do` : `migrated from format ${from} to ${to}`,
    ]);
    const none = ids.length === 0 && noShardsYet(settings, "there is nothing to migrate");
    return { json: formats, text: table(rows), none };
  },
});

/** Reports on standard error that a migration begins. */
export const noteMigration: Observe = (event) => {
  if (event.event !== "shard-migrating") return;
  note(`Migrating shard ${event.shard} from format ${event.from} to ${event.to}.`);
};
