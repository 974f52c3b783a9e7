/** Memory, descriptors and latency over the time of a run. */

import { readdirSync, readFileSync } from "node:fs";
import type { Readers } from "./readers.ts";
import type { SoakedServer } from "./server.ts";

export interface Sample {
  seconds: number;
  residentMiB: number;
  /** Shared pages counted once. */
  proportionalMiB: number;
  descriptors: number;
  responses: number;
  p50Ms: number;
  p99Ms: number;
}

/** Memory counts from then on: caches are full, and workers are not replaced any more. */
export const SETTLED_SECONDS = 600;
/** Workers are replaced again at the end. */
const TAIL_SECONDS = 60;
/** The last quarter may be above the first by this. */
const TOLERANCE = 1.05;

export class Sampler {
  readonly samples: Sample[] = [];
  readonly #timer: Timer;
  readonly #began = performance.now();

  constructor(
    private readonly server: Pick<SoakedServer, "pids">,
    private readonly readers: Readers,
    everySeconds: number,
  ) {
    this.#timer = setInterval(() => this.#take(), everySeconds * 1000);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #take(): void {
    const latencies = this.readers.latencies.sort((a, b) => a - b);
    this.readers.latencies = [];
    this.samples.push({
      seconds: Math.round((performance.now() - this.#began) / 1000),
      responses: latencies.length,
      ...usageOf(this.server.pids),
      p50Ms: at(latencies, 0.5),
      p99Ms: at(latencies, 0.99),
    });
  }
}

/** The memory and the descriptors of processes. */
function usageOf(pids: readonly number[]) {
  const usage = { residentMiB: 0, proportionalMiB: 0, descriptors: 0 };
  for (const pid of pids) {
    try {
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
      const kib = (name: string) =>
        Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)?.[1]);
      usage.residentMiB += kib("Rss") / 1024;
      usage.proportionalMiB += kib("Pss") / 1024;
      usage.descriptors += readdirSync(`/proc/${pid}/fd`).length;
    } catch {
      // It has ended meanwhile.
    }
  }
  return usage;
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

export interface Flatness {
  isFlat: boolean;
  /** The medians of the first and the last quarter. */
  firstMiB: number;
  lastMiB: number;
}

/**
 * Whether memory is flat after ten minutes: the median of the last quarter of the samples is at most 5 % above that of
 * the first quarter. Undefined if the run is too short to tell.
 */
export function flatness(samples: readonly Sample[]): Flatness | undefined {
  const end = (samples.at(-1)?.seconds ?? 0) - TAIL_SECONDS;
  const settled = samples.filter(({ seconds }) => seconds >= SETTLED_SECONDS && seconds <= end);
  const quarter = Math.floor(settled.length / 4);
  if (quarter < 5) return undefined;
  const median = (some: readonly Sample[]) =>
    at(
      some.map(({ proportionalMiB }) => proportionalMiB).sort((a, b) => a - b),
      0.5,
    );
  const [firstMiB, lastMiB] = [median(settled.slice(0, quarter)), median(settled.slice(-quarter))];
  return { isFlat: lastMiB <= firstMiB * TOLERANCE, firstMiB, lastMiB };
}
