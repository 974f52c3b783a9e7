/** Creates the benchmark data once per size, and rebuilds it when it is out of date. */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { demoDocuments } from "../src/demo/demo.ts";
import { MIGRATIONS } from "../src/store/sqlite/schema.ts";
import { run } from "./children.ts";
import { progress } from "./failure.ts";
import { MATCHBOOK, ROOT, SHARD } from "./places.ts";

export interface Manifest {
  matches: number;
  /** Served matches; the others are withheld. */
  served: number;
  until: number;
  format: string;
  /** A hash of the code that created the data. */
  writer: string;
  /** The API key for this data, also used by the conventional server. */
  key: string;
}

export interface Data extends Manifest {
  folder: string;
  /** For `matchbook --data`. */
  matchbook: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const CHUNK = 256 * 1024;
/** The maximum, so that the limiter checks every request and rejects none. */
const RATE = "100000000";
/** Counts every match and never exceeds the quota. */
const MATCHES_PER_DAY = "1000000000";

/** Changes with the schema. */
const FORMAT = `${MIGRATIONS.length}-${Bun.hash.wyhash(MIGRATIONS.join("\n")).toString(36)}`;

const WRITER = sourceHash(["document", "domain", "ingest", "demo", join("store", "sqlite")]);

function sourceHash(parts: string[]): string {
  const files = parts.flatMap((part) => {
    const folder = join(ROOT, "src", part);
    return readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  });
  return Bun.hash.wyhash(files.join("\n")).toString(36);
}

/** The existing data if it is current, otherwise new data. */
export async function dataOf(root: string, matches: number, fresh = false): Promise<Data> {
  const folder = join(root, `${SHARD}-${matches}`);
  const kept = fresh ? undefined : keptIn(folder);
  const manifest = kept ?? (await makeData(folder, matches, minuteOf(Date.now())));
  return { ...manifest, folder, matchbook: join(folder, "matchbook") };
}

function keptIn(folder: string): Manifest | undefined {
  const file = join(folder, "manifest.json");
  if (!existsSync(file)) return undefined;
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  const isFit = manifest.format === FORMAT && Date.now() - manifest.until < DAY_MS;
  if (isFit && manifest.writer !== WRITER) {
    progress(
      "note: code that creates or stores records has changed since this data was created; rebuild it with --fresh",
    );
  }
  return isFit ? manifest : undefined;
}

const minuteOf = (time: number): number => Math.floor(time / 60_000) * 60_000;

/** Created in a temporary folder and renamed when complete. */
export async function makeData(
  folder: string,
  matches: number,
  until: number,
  program = MATCHBOOK,
): Promise<Manifest> {
  const draft = `${folder}.making-${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  progress(`generating and ingesting ${matches} matches …`);
  const flags = ["--data", join(draft, "matchbook")];
  const { stdout, seconds } = await run([program, "ingest", "-", "--json", ...flags], {
    stdin: demoLines({ matches, until, seed: 1 }),
  });
  const { stored } = JSON.parse(stdout) as { stored: number };
  progress(`  took ${seconds.toFixed(1)} s`);
  const key = await makeKey(join(draft, "matchbook"), program);
  const format = { format: FORMAT, writer: WRITER };
  const manifest: Manifest = { matches, served: stored, until, ...format, key };
  writeFileSync(join(draft, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
  return manifest;
}

async function makeKey(data: string, program: string): Promise<string> {
  const limits = ["--rate", RATE, "--matches-per-day", MATCHES_PER_DAY];
  const flags = ["--name", "bench", ...limits, "--data", data];
  return (await run([program, "keys", "create", ...flags])).stdout.trim();
}

/** NDJSON of one shard, in chunks. */
export function* demoLines(options: {
  matches: number;
  until: number;
  seed: number;
}): Generator<string> {
  let lines = "";
  for (const document of demoDocuments({ ...options, shards: [SHARD] })) {
    lines += `${JSON.stringify(document)}\n`;
    if (lines.length < CHUNK) continue;
    yield lines;
    lines = "";
  }
  yield lines;
}
