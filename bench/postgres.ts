/** `--postgres`: the shard is in PostgreSQL on this machine, which shares a core with the load generator. */

import { join } from "node:path";
import { shardsFile } from "../test/support/places.ts";
import { startCluster } from "../test/support/postgres.ts";
import { type Data, linesOf, MATCHBOOK, SHARD } from "./data.ts";
import { progress, run } from "./processes.ts";

/** Typical settings for a few gigabytes of memory; every commit waits for the disk. */
const SETTINGS = ["fsync = on", "shared_buffers = 512MB", "max_wal_size = 4GB"];

export interface Postgres {
  /** For `matchbook`. */
  flags: string[];
  cpuSeconds(): number;
  stop(): void;
}

export async function startDatabase() {
  const cluster = await startCluster(SETTINGS);
  return {
    cpuSeconds: () => cluster.cpuSeconds(),
    stop: () => cluster.remove(),
    /** Flags for `matchbook` with the shard in this schema. */
    flagsFor(schema: string, scratch: string): string[] {
      const shards = { [SHARD]: `${cluster.url}?schema=${schema}` };
      return ["--config", shardsFile(join(scratch, `${schema}.toml`), shards)];
    },
  };
}

/** A database with the same matches. The keys stay in the folder. */
export async function startPostgres(
  { scratch }: { scratch: string },
  { folder, matches, until }: Data,
): Promise<Postgres> {
  const { flagsFor, ...database } = await startDatabase();
  const flags = flagsFor("bench", scratch);
  progress(`ingesting ${matches} matches into PostgreSQL …`);
  const stdin = linesOf(matches, until);
  await run([MATCHBOOK, "ingest", "-", "--data", folder, ...flags], { stdin });
  return { ...database, flags };
}
