/** The patches of the invented game. A season begins with some of them. */

export interface Patch {
  version: string;
  season: number;
  /** Heroes gain and lose strength with each. */
  number: number;
}

/** From which share of the demo's thirty days on. */
const PATCHES: readonly (Patch & { from: number })[] = [
  { version: "3.8", season: 8, number: 0, from: 0 },
  { version: "3.9", season: 8, number: 1, from: 0.4 },
  { version: "4.0", season: 9, number: 2, from: 0.75 },
];

export const PATCH_COUNT = PATCHES.length;

export const patchAt = (share: number): Patch =>
  PATCHES.findLast((patch) => share >= patch.from) ?? PATCHES[0]!;
