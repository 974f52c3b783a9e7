/**
 * The `postgres` section: a shard in PostgreSQL on this machine. Ingest speed, size on disk, and a
 * match by id compared with a bare server on the same database.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { parsePostgres } from "../src/settings/database-urls.ts";
import { Session } from "../src/store/postgres/session.ts";
import { PostgresWriter } from "../src/store/postgres/writer.ts";
import { shardsFile } from "../test/support/places.ts";
import { type Cluster, startCluster } from "../test/support/postgres.ts";
import { askAll, askerOf } from "./asking.ts";
import { run, type Server, startServer } from "./children.ts";
import { onServerCore } from "./cores.ts";
import { demoLines } from "./data.ts";
import { BenchError, progress } from "./failure.ts";
import type { Flags } from "./flags.ts";
import type { Circumstances } from "./machine.ts";
import { MATCHBOOK, type Places, ROOT, SHARD } from "./places.ts";
import { BARE_TABLE } from "./postgres-bare.ts";
import type { PostgresSection } from "./results.ts";
import { RUNTIME_OPTIONS } from "./servers.ts";
import { median, significant } from "./statistics.ts";
import { type Measured, measure, warmUp, writeAddresses } from "./wrk.ts";

const MOST = 50_000;
const ADDRESSES = 5000;
const CONNECTIONS = 32;
const WARM_UP = 5;
/** Typical settings for a few gigabytes of memory; every commit waits for the disk. */
const SETTINGS = ["fsync = on", "shared_buffers = 512MB", "max_wal_size = 4GB"];

export async function measurePostgres(
  flags: Flags,
  places: Places,
  where: Circumstances,
): Promise<PostgresSection> {
  const matches = Math.min(flags.matches, MOST);
  const cluster = await startCluster(SETTINGS);
  try {
    const taken = await takeIn(cluster, matches, places);
    const byId = await measureById(cluster, flags, places, taken);
    const { data: _, location: __, ...ingest } = taken;
    return { ...where, matches, rounds: flags.rounds, connections: CONNECTIONS, ...ingest, byId };
  } finally {
    cluster.remove();
  }
}

interface Taken {
  data: string;
  location: string;
  seconds: number;
  matchesPerSecond: number;
  /** The part used by PostgreSQL. */
  databaseCpuSeconds: number;
  ownCpuSeconds: number;
  storedBytesPerMatch: number;
}

/** Runs once: a second run would find only duplicates. */
async function takeIn(cluster: Cluster, matches: number, places: Places): Promise<Taken> {
  const data = join(places.scratch, "postgres");
  const file = join(places.scratch, "postgres.ndjson");
  const until = Math.floor(Date.now() / 60_000) * 60_000;
  const location = `${cluster.url}?schema=bench`;
  const writer = Bun.file(file).writer();
  for (const lines of demoLines({ matches, until, seed: 1 })) {
    writer.write(lines);
    await writer.flush();
  }
  await writer.end();
  progress(`ingesting ${matches} matches …`);
  const before = cluster.cpuSeconds();
  const finished = await run([
    MATCHBOOK,
    "ingest",
    file,
    "--json",
    "--data",
    data,
    ...settingsFile(data, location),
  ]);
  const databaseCpuSeconds = cluster.cpuSeconds() - before;
  rmSync(file);
  const rate = Math.round(matches / finished.seconds);
  progress(`  ${finished.seconds.toFixed(1)} s, ${rate} matches/s`);
  return {
    data,
    location,
    seconds: significant(finished.seconds),
    matchesPerSecond: rate,
    databaseCpuSeconds: significant(databaseCpuSeconds),
    ownCpuSeconds: significant(finished.cpuSeconds),
    storedBytesPerMatch: Math.round((await storedBytes(location)) / matches),
  };
}

/** Flags for a settings file with this shard location. */
const settingsFile = (data: string, location: string): string[] => [
  "--config",
  shardsFile(`${data}.toml`, { [SHARD]: location }),
];

function sessionOf(location: string): Session {
  const parsed = parsePostgres(location);
  if ("error" in parsed) throw new BenchError(parsed.error);
  return new Session(parsed.value);
}

async function storedBytes(location: string): Promise<number> {
  const writer = new PostgresWriter(sessionOf(location), SHARD);
  const { bytes } = await writer.counts();
  await writer.close();
  return bytes;
}

async function measureById(
  cluster: Cluster,
  flags: Flags,
  places: Places,
  { data, location }: Taken,
): Promise<PostgresSection["byId"]> {
  const key = await makeKey(data);
  const matchbook = await startServer(
    "Matchbook",
    onServerCore([
      ...[MATCHBOOK, "serve", "--data", data, "--port", "0", "--drain-ms", "0"],
      ...settingsFile(data, location),
    ]),
    join(places.scratch, "matchbook-postgres.log"),
  );
  const file = join(places.scratch, "postgres-by-id.txt");
  await copyReplies(cluster, matchbook, key, file);
  const bare = await startServer(
    "the bare server",
    onServerCore([process.execPath, join(ROOT, "bench", "postgres-bare.ts"), cluster.url]),
    join(places.scratch, "bare.log"),
    RUNTIME_OPTIONS,
  );
  const load = { seconds: flags.seconds, connections: CONNECTIONS, key, file };
  const contestants = [matchbook, bare];
  for (const server of contestants) await warmUp(server, { ...load, seconds: WARM_UP });
  const rounds: [ours: Measured, theirs: Measured][] = [];
  for (let round = 0; round < flags.rounds; round++) {
    rounds.push([await measure(matchbook, load), await measure(bare, load)]);
  }
  for (const server of contestants) await server.stop();
  const of = (pick: (round: [Measured, Measured]) => number) =>
    significant(median(rounds.map(pick)));
  const byId = {
    requestsPerSecond: of(([ours]) => ours.requestsPerSecond),
    cpuMicros: of(([ours]) => ours.cpuMicros),
    bareRequestsPerSecond: of(([, theirs]) => theirs.requestsPerSecond),
    bareCpuMicros: of(([, theirs]) => theirs.cpuMicros),
    // Computed per round, so that disturbances cancel out.
    ratio: of(([ours, theirs]) => ours.requestsPerSecond / theirs.requestsPerSecond),
  };
  progress(
    `match by id: Matchbook ${Math.round(byId.requestsPerSecond)}/s, bare ${Math.round(byId.bareRequestsPerSecond)}/s, ratio ${byId.ratio}`,
  );
  return byId;
}

async function makeKey(data: string): Promise<string> {
  const limits = ["--rate", "100000000", "--matches-per-day", "1000000000"];
  const flags = ["--name", "bench", ...limits, "--data", data];
  return (await run([MATCHBOOK, "keys", "create", ...flags])).stdout.trim();
}

/** Copies complete responses of some matches for the bare server; returns their paths. */
async function copyReplies(
  cluster: Cluster,
  matchbook: Server,
  key: string,
  file: string,
): Promise<void> {
  const sql = new SQL(cluster.url);
  const rows: { id: string }[] = await sql.unsafe(
    `SELECT id FROM bench.matches ORDER BY md5(id) LIMIT ${ADDRESSES}`,
  );
  const addresses = rows.map(({ id }) => ({
    path: `/shards/${SHARD}/matches/${id}`,
    headers: { "Accept-Encoding": "gzip" },
  }));
  writeAddresses(file, addresses);
  const replies = await askAll(askerOf(matchbook, key), addresses);
  await sql.unsafe("CREATE SCHEMA bare");
  await sql.unsafe(`CREATE TABLE ${BARE_TABLE} (id text COLLATE "C" PRIMARY KEY, body bytea)`);
  await sql.unsafe(`ALTER TABLE ${BARE_TABLE} ALTER body SET STORAGE EXTERNAL`);
  for (const [at, { body }] of replies.entries()) {
    await sql.unsafe(`INSERT INTO ${BARE_TABLE} VALUES ($1, $2)`, [rows[at]!.id, body]);
  }
  await sql.unsafe("VACUUM ANALYZE");
  await sql.close();
}
