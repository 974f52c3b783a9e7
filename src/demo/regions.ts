/** The shards of the demo: their share of matches, time zone, scripts and teams. */

import type { ScriptWeights } from "./names.ts";

export interface Region {
  shard: string;
  /** Share of all matches, relative to the other shards. */
  weight: number;
  /** Hours ahead of UTC: most people play in the evening. */
  clock: number;
  scripts: ScriptWeights;
  tournament: boolean;
}

type Profile = Omit<Region, "shard">;

const american: ScriptWeights = [94, 2, 1, 2, 1];
const european: ScriptWeights = [84, 1, 1, 1, 13];
const singaporean: ScriptWeights = [78, 14, 3, 4, 1];
const chinese: ScriptWeights = [18, 80, 1, 1, 0];
const eastAsian: ScriptWeights = [38, 4, 32, 26, 0];

const PROFILES: { [shard: string]: Profile } = {
  na: { weight: 34, clock: -6, scripts: american, tournament: false },
  eu: { weight: 24, clock: 1, scripts: european, tournament: false },
  sa: { weight: 10, clock: -3, scripts: american, tournament: false },
  sg: { weight: 9, clock: 8, scripts: singaporean, tournament: false },
  cn: { weight: 10, clock: 8, scripts: chinese, tournament: false },
  ea: { weight: 10, clock: 9, scripts: eastAsian, tournament: false },
  "tournament-na": { weight: 3, clock: -6, scripts: american, tournament: true },
};

export const DEMO_SHARDS: readonly string[] = Object.keys(PROFILES);

export function regionOf(shard: string): Region {
  const tournament = shard.startsWith("tournament-");
  const unknown = { weight: tournament ? 3 : 10, clock: 0, scripts: american, tournament };
  return { shard, ...(PROFILES[shard] ?? unknown) };
}
