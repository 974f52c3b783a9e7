/** The memory of a run over time. */

import { readFileSync } from "node:fs";

export interface Sample {
  seconds: number;
  /** Of all processes, shared pages counted once. */
  mebibytes: number;
}

/** Memory counts from then on: caches are full, and workers are not replaced any more. */
const SETTLED_SECONDS = 600;
/** Workers are replaced again at the end. */
const TAIL_SECONDS = 60;
/** The last quarter may be above the first by this. */
const TOLERANCE = 1.05;

/** The memory of these processes. One may have ended meanwhile. */
export function memoryOf(pids: readonly number[]): number {
  const sizes = pids.map((pid) => {
    try {
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
      return Number(/^Pss:\s+(\d+)/m.exec(rollup)![1]) / 1024;
    } catch {
      return 0;
    }
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * Whether memory is flat after ten minutes: the median of the last quarter of the samples is at most 5 % above that of
 * the first quarter; both medians. Undefined if the run is too short to tell.
 */
export function flatness(samples: readonly Sample[]) {
  const end = (samples.at(-1)?.seconds ?? 0) - TAIL_SECONDS;
  const settled = samples.filter(({ seconds }) => seconds >= SETTLED_SECONDS && seconds <= end);
  const quarter = Math.floor(settled.length / 4);
  if (quarter < 5) return undefined;
  const median = (some: readonly Sample[]) =>
    some.map(({ mebibytes }) => mebibytes).sort((a, b) => a - b)[Math.floor(some.length / 2)]!;
  const [firstMiB, lastMiB] = [median(settled.slice(0, quarter)), median(settled.slice(-quarter))];
  return { isFlat: lastMiB <= firstMiB * TOLERANCE, firstMiB, lastMiB };
}
