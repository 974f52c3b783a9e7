/** Damage of the statistics of heroes. */

import { HERO_STATS } from "../../src/features/heroes/stored.ts";
import { changeHeroes, heroRows } from "../support/heroes.ts";
import type { FeatureDamage } from "./features.ts";
import { change, type Harm, remove } from "./row.ts";

/** Adds more to the statistics of a hero. */
const added =
  (more: object): Harm =>
  async (state) => {
    const rows = heroRows(await state.rows(HERO_STATS, { after: undefined, limit: 100 }));
    const one = rows.find(({ hero, is_pruned }) => hero !== "" && is_pruned === 0)!;
    await changeHeroes(state, [{ ...one, ...more }]);
  };

export const heroes: FeatureDamage = {
  // biome-ignore format: a table
  rows: [
    ["statistics of heroes", change("hero statistics", { hero: "", patch: "1.0" }, ({ wins }) => ({ wins: wins + 1 })), /^hero_stats all matches in /, "quick", "shown", "same", 3],
    ["a count of matches of heroes", remove("hero statistics", { hero: "" }), /^hero_stats all matches in /, "full", "shown", "same", 0],
    ["entries of statistics", remove("hero statistics", "first"), /^hero_stats /, "full", "shown", "same", 0],
  ],
  // biome-ignore format: a table
  unlike: [
    ["sums of heroes that the records do not give", added({ picks: 1, wins: 0, gold: 0n }), /^hero_stats \*/],
    ["a hero that nobody played", added({ hero: "nobody", picks: 2 }), /^hero_stats nobody in /],
  ],
  counts: ["statistics of heroes", "a count of matches of heroes"],
  everywhere: ["statistics of heroes"],
};
