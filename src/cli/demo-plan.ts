/** In charge of the demo data a folder is begun with: what was planned, and whether it is all there. */

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEMO_SHARDS, regionOf } from "../demo/regions.ts";

/** One shard's demo matches. Each is made and taken in by itself, so that they can go in parallel. */
export interface Share {
  shard: string;
  matches: number;
  seed: number;
  until: number;
}

/** A run that was cut short is completed by the next, from the same plan: what is there is known. */
export interface Plan {
  shares: Share[];
  complete: boolean;
}

const SEED = 1;

export function newPlan(matches: number, until: number): Plan {
  const regions = DEMO_SHARDS.map(regionOf);
  const weights = regions.reduce((sum, { weight }) => sum + weight, 0);
  return {
    // The largest first: the small ones fill the gaps at the end.
    shares: regions
      .toSorted((one, other) => other.weight - one.weight)
      .map(({ shard, weight }) => ({
        shard,
        matches: Math.max(1, Math.round((matches * weight) / weights)),
        seed: SEED,
        until,
      })),
    complete: false,
  };
}

const fileIn = (data: string) => join(data, "demo.json");

export function readPlan(data: string): Plan | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(data), "utf8")) as Plan;
  } catch {
    return undefined;
  }
}

export function writePlan(data: string, plan: Plan): void {
  writeFileSync(`${fileIn(data)}.new`, `${JSON.stringify(plan)}\n`);
  renameSync(`${fileIn(data)}.new`, fileIn(data));
}
