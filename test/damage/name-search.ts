/** Damage of the name index. */

import { AT } from "../model/pages.ts";
import type { FeatureDamage } from "./features.ts";
import { change, remove } from "./row.ts";

export const nameSearch: FeatureDamage = {
  // biome-ignore format: a table
  rows: [
    ["a name in the name index", change("name entry", { name: "Ida" }, { name: "Zed" }), /^name_index =ida/, "full", "shown", "same", 0],
    ["an entry of the name index", remove("name entry", { key: "=uma" }), /^name_index =uma/, "full", "hidden", "same", 0],
  ],
  searches: ["Aba", "ida"].map((near) => `${AT}/player-names?filter[near]=${near}`),
  everywhere: ["an entry of the name index"],
};
