/** When matches are played: the thirty days, their daily rhythm, patches and seasons. */

import type { Random } from "./random.ts";
import type { Region } from "./regions.ts";

const DAY = 86_400;
const STEP = 1_800;
const STEPS = (30 * DAY) / STEP;

const WINDOW_SECONDS = 30 * DAY;

export interface Patch {
  version: string;
  season: number;
  /** Index in the list of patches: heroes gain and lose strength with each. */
  number: number;
}

const PATCHES: readonly (Patch & { from: number })[] = [
  { version: "3.8", season: 8, number: 0, from: 0 },
  { version: "3.9", season: 8, number: 1, from: 0.4 },
  { version: "4.0", season: 9, number: 2, from: 0.75 },
];

export const PATCH_COUNT = PATCHES.length;

/** Times are in whole seconds since the epoch. */
export class Calendar {
  readonly end: number;
  readonly start: number;
  readonly #cumulated = new Float64Array(STEPS + 1);

  constructor(
    until: number,
    private readonly regions: readonly Region[],
  ) {
    this.end = Math.floor(until / 1000);
    this.start = this.end - WINDOW_SECONDS;
    for (let step = 0; step < STEPS; step++) {
      let bustle = 0;
      for (const weight of this.#bustleAt(this.start + (step + 0.5) * STEP)) bustle += weight;
      this.#cumulated[step + 1] = this.#cumulated[step]! + bustle;
    }
  }

  /** The time by which this share of all matches has been played. */
  timeOf(share: number): number {
    const sought = share * this.#cumulated[STEPS]!;
    let [low, high] = [0, STEPS];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#cumulated[middle]! <= sought) low = middle;
      else high = middle;
    }
    const inside =
      (sought - this.#cumulated[low]!) / (this.#cumulated[high]! - this.#cumulated[low]!);
    return this.start + Math.floor((low + inside) * STEP);
  }

  /** The index of a random shard, weighted by its activity at this time. */
  regionAt(time: number, random: Random): number {
    const step = Math.min(STEPS - 1, Math.floor((time - this.start) / STEP));
    return random.weighted(this.#bustleAt(this.start + (step + 0.5) * STEP));
  }

  patchAt(time: number): Patch {
    const share = this.shareOf(time);
    return PATCHES.findLast((patch) => share >= patch.from) ?? PATCHES[0]!;
  }

  /** How much of the thirty days has passed, from 0 to 1. */
  shareOf(time: number): number {
    return (time - this.start) / WINDOW_SECONDS;
  }

  /** How much of the season has passed within the thirty days, as a share of them. */
  seasonProgress(time: number): number {
    const share = this.shareOf(time);
    const { season } = this.patchAt(time);
    return share - PATCHES.find((patch) => patch.season === season)!.from;
  }

  #bustleAt(time: number): number[] {
    return this.regions.map((region) => region.weight * rhythm(time + region.clock * 3_600));
  }
}

/** Most is played around nine in the evening, least around nine in the morning, more at weekends. */
function rhythm(local: number): number {
  const hour = (local % DAY) / 3_600;
  const evening = 0.5 + 0.5 * Math.cos(((hour - 21) / 24) * 2 * Math.PI);
  // The epoch began on a Thursday.
  const weekday = (Math.floor(local / DAY) + 4) % 7;
  const weekend = weekday === 0 || weekday === 6 ? 1.3 : 1;
  return weekend * (0.15 + 0.85 * evening ** 1.5);
}
