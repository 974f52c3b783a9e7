/** The shards of the demo: their share of matches, the scripts of their names, and whether they are for tournaments. */

import type { ScriptWeights } from "./names.ts";

export interface Region {
  shard: string;
  /** Share of all matches, relative to the other shards. */
  weight: number;
  scripts: ScriptWeights;
  tournament: boolean;
}

const AMERICAN: ScriptWeights = [94, 2, 1, 2, 1];

const PROFILES: Readonly<Record<string, [weight: number, scripts: ScriptWeights]>> = {
  na: [34, AMERICAN],
  eu: [24, [84, 1, 1, 1, 13]],
  sa: [10, AMERICAN],
  sg: [9, [78, 14, 3, 4, 1]],
  cn: [10, [18, 80, 1, 1, 0]],
  ea: [10, [38, 4, 32, 26, 0]],
  "tournament-na": [3, AMERICAN],
};

export const DEMO_SHARDS: readonly string[] = Object.keys(PROFILES);

export function regionOf(shard: string): Region {
  const [weight, scripts] = PROFILES[shard] ?? [10, AMERICAN];
  return { shard, weight, scripts, tournament: shard.startsWith("tournament-") };
}
