/** The `ingest` section: speed, and size on disk. */

import { Database } from "bun:sqlite";
import { closeSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { run } from "./children.ts";
import { demoLines } from "./data.ts";
import { progress } from "./failure.ts";
import type { Flags } from "./flags.ts";
import type { Circumstances } from "./machine.ts";
import { MATCHBOOK, type Places, SHARD } from "./places.ts";
import type { IngestSection } from "./results.ts";
import { median, significant } from "./statistics.ts";

/** More would take long and measure the disk. */
const MOST = 50_000;

export async function measureIngest(
  flags: Flags,
  places: Places,
  where: Circumstances,
): Promise<IngestSection> {
  const matches = Math.min(flags.matches, MOST);
  const folder = join(places.scratch, "ingest");
  const file = join(places.scratch, "ingest.ndjson");
  progress(`writing ${matches} matches to a file …`);
  writeLines(file, matches);

  const rounds = [];
  for (let round = 0; round < flags.rounds; round++) {
    rmSync(folder, { recursive: true, force: true });
    const finished = await run([MATCHBOOK, "ingest", file, "--json", "--data", folder]);
    rounds.push(finished);
    const rate = Math.round(matches / finished.seconds);
    progress(`round ${round + 1}: ${finished.seconds.toFixed(1)} s, ${rate} matches/s`);
  }
  const seconds = median(rounds.map((one) => one.seconds));
  const section: IngestSection = {
    ...where,
    matches,
    rounds: flags.rounds,
    seconds: significant(seconds),
    cpuSeconds: significant(median(rounds.map((one) => one.cpuSeconds))),
    peakMiB: Math.round(median(rounds.map((one) => one.peakMiB))),
    matchesPerSecond: Math.round(matches / seconds),
    jsonBytesPerMatch: Math.round(statSync(file).size / matches),
    storedBytesPerMatch: Math.round(storedBytes(join(folder, `${SHARD}.db`)) / matches),
  };
  rmSync(folder, { recursive: true, force: true });
  rmSync(file, { force: true });
  return section;
}

function writeLines(file: string, matches: number): void {
  const until = Math.floor(Date.now() / 60_000) * 60_000;
  const target = openSync(file, "w");
  for (const lines of demoLines({ matches, until, seed: 1 })) writeSync(target, lines);
  closeSync(target);
}

/** The size of a shard's file after a WAL checkpoint. */
export function storedBytes(file: string): number {
  const database = new Database(file);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  return statSync(file).size;
}
