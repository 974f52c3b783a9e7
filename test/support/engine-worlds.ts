/** A Matchbook whose shard na is in SQLite or in PostgreSQL. */

import { afterAll, beforeAll } from "bun:test";
import type { Json } from "../../src/domain/json.ts";
import type { Clock } from "../../src/http/context.ts";
import { aPostgres, dropSchema } from "./postgres.ts";
import { startWorld, type World } from "./world.ts";

export const ENGINES = ["SQLite", "PostgreSQL"] as const;
export type Engine = (typeof ENGINES)[number];

let made = 0;

/** For a test file: starts such servers. Each has a schema of its own, which goes with it. */
export function engineWorlds(
  feedPace?: Parameters<typeof startWorld>[5],
): (engine: Engine, documents?: Json[], clock?: Clock) => Promise<World> {
  let postgres: Awaited<ReturnType<typeof aPostgres>>;
  beforeAll(async () => {
    postgres = await aPostgres();
  });
  afterAll(() => postgres.stop());
  return async (engine, documents = [], clock) => {
    const schema = `world_${process.pid}_${made++}`;
    const url = engine === "SQLite" ? "" : `url = "${postgres.url}?schema=${schema}"\n`;
    const toml = `[shards.na]\n${url}`;
    const world = await startWorld(documents, {}, clock, toml, undefined, feedPace);
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= world.stop().then(() => (url ? dropSchema(postgres.url, schema) : undefined));
      return stopped;
    };
    return { ...world, stop, [Symbol.asyncDispose]: stop };
  };
}
