/** What a participant buys, by the build of the hero and the gold. */

import type { Build } from "./heroes.ts";
import type { Random } from "./random.ts";

/** A finished item is made of two parts. */
type Item = readonly [name: string, ...parts: string[]];

const FINISHED: Readonly<Record<Build, readonly Item[]>> = {
  weapon: [
    ["Sunder Blade", "Long Edge", "Whetstone"],
    ["Gale Cutter", "Twin Clasp", "Long Edge"],
    ["Widow Fang", "Long Edge", "Quick Thread"],
    ["Thornspike", "Twin Clasp", "Whetstone"],
    ["Last Argument", "Long Edge", "Heart Root"],
    ["Hunter's Oath", "Twin Clasp", "Quick Thread"],
    ["Ruinbrand", "Long Edge", "Ember Shard"],
    ["Leechsteel", "Long Edge", "Ward Cloth"],
  ],
  crystal: [
    ["Cinder Crown", "Ember Core", "Ember Shard"],
    ["Storm Prism", "Ember Core", "Tide Glass"],
    ["Frostbite Orb", "Tide Glass", "Heart Root"],
    ["Echo Chamber", "Tide Glass", "Cold Lens"],
    ["Starfall Rod", "Ember Core", "Whetstone"],
    ["Mirror of Wants", "Tide Glass", "Ward Cloth"],
    ["Hexed Candle", "Ember Core", "Cold Lens"],
    ["Dream Siphon", "Ember Core", "Heart Root"],
  ],
  guard: [
    ["Bulwark of Dawn", "Iron Shell", "Heart Root"],
    ["Fountain Idol", "Veil Mantle", "Heart Root"],
    ["Crucible Bell", "Iron Shell", "Ward Cloth"],
    ["Warden's Cloak", "Veil Mantle", "Oak Plate"],
    ["Atlas Greaves", "Iron Shell", "Cold Lens"],
    ["Lantern of Calm", "Veil Mantle", "Cold Lens"],
    ["Stonewall Crest", "Iron Shell", "Veil Mantle"],
    ["Pact Ribbon", "Veil Mantle", "Quick Thread"],
  ],
};
const BOOTS: readonly Item[] = [
  ["Trail Boots", "Path Stone"],
  ["Strider Boots", "Path Stone"],
];
const CONSUMED = ["Scout Flare", "Scout Lamp", "Minor Draught"];
const TONICS = { weapon: "Weapon Tonic", crystal: "Crystal Tonic", guard: "Guard Tonic" };
const STARTERS = { weapon: "Whetstone", crystal: "Ember Shard", guard: "Heart Root" };

type Counts = Record<string, number>;

export function shop(random: Random, build: Build, gold: number, minutes: number) {
  const [itemGrants, itemUses, itemSells]: [Counts, Counts, Counts] = [{}, {}, {}];
  const bought = chosen(random, build, Math.max(1, Math.min(5, Math.floor(gold / 2_400))));
  if (minutes > 6) bought.push(random.pick(BOOTS));
  for (const name of bought.flat()) add(itemGrants, name);
  for (const name of minutes > 18 ? [...CONSUMED, TONICS[build]] : CONSUMED) {
    const count = random.int(1, 1 + Math.floor(minutes / 5));
    add(itemGrants, name, count);
    add(itemUses, name, count);
  }
  const items = bought.map(([name]) => name);
  const starter = STARTERS[build];
  add(itemGrants, starter);
  if (minutes > 10 && random.chance(0.6)) add(itemSells, starter);
  else if (items.length < 6) items.push(starter);
  return { items, itemGrants, itemUses, itemSells };
}

/**
 * Distinct finished items in one of a few typical orders, with one for defence. Free choice would not look richer,
 * and objects of many different shapes are slow to serialize.
 */
function chosen(random: Random, build: Build, count: number): Item[] {
  const shelf = FINISHED[build];
  const first = random.int(0, shelf.length - 1);
  const own = Array.from({ length: count }, (_, at) => shelf[(first + at * 3) % shelf.length]!);
  if (count > 3 && build !== "guard") own[count - 1] = FINISHED.guard[first]!;
  return own;
}

function add(counts: Counts, name: string, count = 1): void {
  const key = `*Item_${name.replaceAll(/[^A-Za-z]/g, "")}*`;
  counts[key] = (counts[key] ?? 0) + count;
}
