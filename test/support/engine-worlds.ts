/** A Matchbook whose shard na is in SQLite or in PostgreSQL. */

import { afterAll, beforeAll } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import type { Json } from "../../src/domain/json.ts";
import type { Clock } from "../../src/http/context.ts";
import type { ShardRows } from "./engine.ts";
import { postgresRows } from "./engine-postgres.ts";
import { sqliteRows } from "./engine-sqlite.ts";
import { aPostgres, dropSchema } from "./postgres.ts";
import { startWorld, type World } from "./world.ts";

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
): (engine: Engine, documents?: Json[], clock?: Clock, more?: string) => Promise<EngineWorld> {
  let postgres: Awaited<ReturnType<typeof aPostgres>>;
  let sql: SQL;
  beforeAll(async () => {
    postgres = await aPostgres();
    sql = new SQL(postgres.url);
  });
  afterAll(async () => {
    await sql.close();
    postgres.stop();
  });
  return async (engine, documents = [], clock, more = "") => {
    const schema = `world_${process.pid}_${made++}`;
    const url = engine === "SQLite" ? "" : `url = "${postgres.url}?schema=${schema}"\n`;
    const toml = `[shards.na]\n${url}${more}`;
    const world = await startWorld(documents, {}, clock, toml, maintenancePace, feedPace);
    const rows = url ? postgresRows(sql, schema) : sqliteRows(join(world.data, "na.db"));
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= world.stop().then(() => (url ? dropSchema(postgres.url, schema) : undefined));
      return stopped;
    };
    return { ...world, rows, stop, [Symbol.asyncDispose]: stop };
  };
}
