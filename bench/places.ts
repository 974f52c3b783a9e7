/** Paths: the program under test, and the output of the benchmark. */

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dir, "..");
export const MATCHBOOK = join(ROOT, "bin", "matchbook");
export const CONVENTIONAL = join(import.meta.dir, "conventional");
export const CEILING = join(import.meta.dir, "ceiling.ts");
export const SHARD = "na";

export interface Places {
  results: string;
  plots: string;
  data: string;
  /** Temporary files. */
  scratch: string;
}

export const placesIn = (out: string): Places => ({
  results: join(out, "results.json"),
  plots: join(out, "plots"),
  data: join(out, ".data"),
  scratch: join(out, ".data", `${SCRATCH}${process.pid}`),
});

const SCRATCH = "scratch-";

/** Removes the temporary files of earlier failed runs. */
export function clearScratch({ data }: Places): void {
  if (!existsSync(data)) return;
  for (const name of readdirSync(data)) {
    const owner = /(?:^scratch|\.making)-(\d+)$/.exec(name)?.[1];
    if (owner === undefined || existsSync(`/proc/${owner}`)) continue;
    rmSync(join(data, name), { recursive: true, force: true });
  }
}
