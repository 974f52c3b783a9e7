/** Creates the data once per size, and again when it is out of date. */

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
import { demoLines } from "../src/cli/demo.ts";
import { ROOT } from "./machine.ts";
import { progress, run } from "./processes.ts";

export const MATCHBOOK = join(ROOT, "bin", "matchbook");
export const SHARD = "na";

interface Manifest {
  matches: number;
  until: number;
  /** A hash of the code that created the data. */
  writer: string;
  /** The API key for this data, also of the conventional server. */
  key: string;
}

export interface Data extends Manifest {
  /** For `matchbook --data`. */
  folder: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The limiter and the quota check every request, and refuse none. */
const LIMITS = ["--rate", "100000000", "--matches-per-day", "1000000000"];

/** The parts of the sources that decide what is stored. */
const WRITER = hashOf(
  ["demo", "document", "domain", "features", "ingest", "store"].flatMap((part) =>
    filesIn(join(ROOT, "src", part)),
  ),
);

export function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.[jt]s$/.test(file) && !file.includes("node_modules"))
    .sort()
    .map((file) => join(folder, file));
}

export function hashOf(files: readonly string[]): string {
  const text = files.map((file) => readFileSync(file, "utf8")).join("\0");
  return Bun.hash.wyhash(text).toString(36);
}

/** NDJSON of one shard, in pieces. */
export const linesOf = (matches: number, until: number, seed = 1): Generator<string> =>
  demoLines({ matches, until, seed, shards: [SHARD] });

/** Recent enough for the default window of the API. */
export const now = (): number => Math.floor(Date.now() / 60_000) * 60_000;

/** The existing data if it is current, otherwise new data. */
export async function dataOf(root: string, matches: number): Promise<Data> {
  const folder = join(root, `${SHARD}-${matches}`);
  const file = join(folder, "bench.json");
  if (existsSync(file)) {
    const kept = JSON.parse(readFileSync(file, "utf8")) as Manifest;
    if (kept.writer === WRITER && Date.now() - kept.until < DAY_MS) return { ...kept, folder };
  }
  return makeData(folder, matches, now());
}

/** Created in a temporary folder, and renamed when complete. */
export async function makeData(
  folder: string,
  matches: number,
  until: number,
  program = MATCHBOOK,
): Promise<Data> {
  const draft = `${folder}.making-${process.pid}`;
  mkdirSync(draft, { recursive: true });
  progress(`generating and ingesting ${matches} matches …`);
  const stdin = linesOf(matches, until);
  const { seconds } = await run([program, "ingest", "-", "--data", draft], { stdin });
  progress(`  took ${seconds.toFixed(1)} s`);
  const create = ["keys", "create", "--name", "bench", ...LIMITS, "--data", draft];
  const key = (await run([program, ...create])).stdout.trim();
  const manifest: Manifest = { matches, until, writer: WRITER, key };
  writeFileSync(join(draft, "bench.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
  return { ...manifest, folder };
}
