/** In charge of the shards of the demo: their share of the matches, clock, scripts and teams. */

import type { ScriptWeights } from "./names.ts";

export interface Region {
  shard: string;
  /** Share of all matches, relative to the other shards. */
  weight: number;
  /** Hours ahead of UTC: people play in their evening. */
  clock: number;
  scripts: ScriptWeights;
  tournament: boolean;
}

type Profile = Omit<Region, "shard">;

const AMERICAN: ScriptWeights = {
  latin: 94,
  chinese: 2,
  japanese: 1,
  korean: 2,
  cyrillic: 1,
};

const PROFILES: { [shard: string]: Profile } = {
  na: { weight: 34, clock: -6, scripts: AMERICAN, tournament: false },
  eu: {
    weight: 24,
    clock: 1,
    scripts: { latin: 84, chinese: 1, japanese: 1, korean: 1, cyrillic: 13 },
    tournament: false,
  },
  sa: { weight: 10, clock: -3, scripts: AMERICAN, tournament: false },
  sg: {
    weight: 9,
    clock: 8,
    scripts: { latin: 78, chinese: 14, japanese: 3, korean: 4, cyrillic: 1 },
    tournament: false,
  },
  cn: {
    weight: 10,
    clock: 8,
    scripts: { latin: 18, chinese: 80, japanese: 1, korean: 1, cyrillic: 0 },
    tournament: false,
  },
  ea: {
    weight: 10,
    clock: 9,
    scripts: { latin: 38, chinese: 4, japanese: 32, korean: 26, cyrillic: 0 },
    tournament: false,
  },
  "tournament-na": { weight: 3, clock: -6, scripts: AMERICAN, tournament: true },
};

const ELSEWHERE: Profile = { weight: 10, clock: 0, scripts: AMERICAN, tournament: false };
const CUP: Profile = { weight: 3, clock: 0, scripts: AMERICAN, tournament: true };

export const DEMO_SHARDS: readonly string[] = Object.keys(PROFILES);

export function regionOf(shard: string): Region {
  const unknown = shard.startsWith("tournament-") ? CUP : ELSEWHERE;
  return { shard, ...(PROFILES[shard] ?? unknown) };
}
