/** Servers and data folders whose shard na is in SQLite or in PostgreSQL. */

import { afterAll } from "bun:test";
import { join } from "node:path";
import type { Clock } from "../../src/access/clock.ts";
import type { Json } from "../../src/domain/json.ts";
import type { ShardRows } from "./engine.ts";
import { postgresRows } from "./engine-postgres.ts";
import { sqliteRows } from "./engine-sqlite.ts";
import { homeAt } from "./places.ts";
import { dropSchema } from "./postgres.ts";
import { sharedPostgres } from "./shared.ts";
import { aFolder, startWorld, type World } from "./world.ts";

export const ENGINES = ["SQLite", "PostgreSQL"] as const;
export type Engine = (typeof ENGINES)[number];

export interface EngineWorld extends World {
  /** The inside of the shard. */
  rows: ShardRows;
}

let made = 0;

/** For a test file: starts such servers. Each has a schema of its own, which goes with it. */
export function engineWorlds(
  feedPace?: Parameters<typeof startWorld>[5],
  maintenancePace?: Parameters<typeof startWorld>[4],
) {
  const postgres = sharedPostgres();
  return async (
    engine: Engine,
    documents: Json[] = [],
    clock?: Clock,
    more = "",
    flags: Record<string, string> = {},
  ): Promise<EngineWorld> => {
    const schema = `world_${process.pid}_${made++}`;
    const url = engine === "SQLite" ? "" : `url = "${postgres.url}?schema=${schema}"\n`;
    const toml = `[shards.na]\n${url}${more}`;
    const world = await startWorld(documents, flags, clock, toml, maintenancePace, feedPace);
    const rows = url ? postgresRows(postgres.sql, schema) : sqliteRows(join(world.data, "na.db"));
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= world.stop().then(() => (url ? dropSchema(postgres.url, schema) : undefined));
      return stopped;
    };
    return { ...world, rows, stop, [Symbol.asyncDispose]: stop };
  };
}

/**
 * `data` is the data folder, for `matchbookAt()` and the like, and `place` the URL of the shard, for the settings. It has a
 * file or a schema; `beside` gives paths beside the data folder, and `rows` are the inside of the shard.
 */
export type EngineHome = ReturnType<ReturnType<typeof engineHomes>>;

/** For a test file: such data folders, without a server. They go with the file, and their schemas. */
export function engineHomes() {
  const folder = aFolder();
  const schemas: string[] = [];
  // Before the database goes, if it stays for others.
  afterAll(async () => {
    for (const schema of schemas) await dropSchema(postgres.url, schema);
    folder.remove();
  });
  const postgres = sharedPostgres();
  return (engine: Engine) => {
    const schema = `home_${process.pid}_${made++}`;
    const beside = (name: string) => join(folder.path, `${schema}-${name}`);
    const file = beside("na.db");
    if (engine === "PostgreSQL") schemas.push(schema);
    const place = engine === "SQLite" ? `sqlite:${file}` : `${postgres.url}?schema=${schema}`;
    const rows: ShardRows =
      engine === "SQLite" ? sqliteRows(file) : postgresRows(postgres.sql, schema);
    return { data: homeAt(beside("data"), place), place, file, schema, beside, rows };
  };
}
