/** The `ingest` section: speed, and size on disk. */

import { closeSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { linesOf, MATCHBOOK, now, SHARD } from "./data.ts";
import { markdownTable, median, readable, times } from "./figures.ts";
import { startDatabase } from "./postgres.ts";
import { type Finished, progress, run } from "./processes.ts";
import type { Options } from "./run.ts";

/** More would take long and measure the disk. */
const MOST = 50_000;

export async function measureIngest(options: Options): Promise<string> {
  const matches = Math.min(options.matches, MOST);
  const folder = join(options.scratch, "ingest");
  const file = join(options.scratch, "ingest.ndjson");
  progress(`writing ${matches} matches to a file …`);
  const target = openSync(file, "w");
  for (const lines of linesOf(matches, now())) writeSync(target, lines);
  closeSync(target);

  const database = options.postgres ? await startDatabase() : undefined;
  const rounds: (Finished & { databaseSeconds: number })[] = [];
  let bytes = 0;
  for (let round = 0; round < options.rounds; round++) {
    rmSync(folder, { recursive: true, force: true });
    const place = database?.flagsFor(`round${round}`, options.scratch) ?? [];
    const before = database?.cpuSeconds() ?? 0;
    const finished = await run([MATCHBOOK, "ingest", file, "--data", folder, ...place]);
    rounds.push({ ...finished, databaseSeconds: (database?.cpuSeconds() ?? 0) - before });
    bytes = await storedBytes(folder, place);
    const rate = Math.round(matches / finished.seconds);
    progress(`round ${round + 1}: ${finished.seconds.toFixed(1)} s, ${rate} matches/s`);
  }
  database?.stop();
  const of = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.map(pick));
  const seconds = of((one) => one.seconds);
  const json = statSync(file).size;
  rmSync(file);
  return markdownTable(
    ["Measure", "Value"],
    [
      ["matches ingested", readable(matches)],
      ["matches/s", readable(matches / seconds)],
      ["wall time, s", readable(seconds)],
      ["CPU time, s", readable(of((one) => one.cpuSeconds))],
      ...(database
        ? [["CPU time of PostgreSQL, s", readable(of((one) => one.databaseSeconds))]]
        : []),
      ["peak resident memory, MiB", readable(of((one) => one.peakMiB))],
      ["JSON input, bytes/match", readable(json / matches)],
      ["stored with all indexes, bytes/match", readable(bytes / matches)],
      ["JSON ÷ stored", times(json / bytes)],
    ],
  );
}

/** What the shard takes in its file or its database. */
export async function storedBytes(folder: string, place: string[] = []): Promise<number> {
  const { stdout } = await run([MATCHBOOK, "status", "--json", "--data", folder, ...place]);
  return (JSON.parse(stdout) as Record<string, { bytes: number }>)[SHARD]!.bytes;
}
