/** In charge of what a participant buys: builds that follow the hero and the gold at hand. */

import type { Build } from "./heroes.ts";
import type { Random } from "./random.ts";

export interface Shopping {
  items: string[];
  itemGrants: { [item: string]: number };
  itemUses: { [item: string]: number };
  itemSells: { [item: string]: number };
}

interface Item {
  name: string;
  number: number;
  parts: readonly Item[];
}

type Counts = Uint8Array;

const keys: string[] = [];

function item(name: string, ...parts: Item[]): Item {
  const number = keys.push(`*Item_${name.replaceAll(/[^A-Za-z]/g, "")}*`) - 1;
  return { name, number, parts };
}

const whetstone = item("Whetstone");
const quickThread = item("Quick Thread");
const emberShard = item("Ember Shard");
const coldLens = item("Cold Lens");
const oakPlate = item("Oak Plate");
const wardCloth = item("Ward Cloth");
const heartRoot = item("Heart Root");
const pathStone = item("Path Stone");

const longEdge = item("Long Edge", whetstone);
const twinClasp = item("Twin Clasp", quickThread);
const emberCore = item("Ember Core", emberShard);
const tideGlass = item("Tide Glass", coldLens);
const ironShell = item("Iron Shell", oakPlate);
const veilMantle = item("Veil Mantle", wardCloth);

const BOOTS = [item("Trail Boots", pathStone), item("Strider Boots", pathStone)];
const CONSUMED = [item("Scout Flare"), item("Scout Lamp"), item("Minor Draught")];
const INFUSIONS: Record<Build, Item> = {
  weapon: item("Weapon Tonic"),
  crystal: item("Crystal Tonic"),
  guard: item("Guard Tonic"),
};

const FINISHED: Record<Build, readonly Item[]> = {
  weapon: [
    item("Sunder Blade", longEdge, whetstone),
    item("Gale Cutter", twinClasp, longEdge),
    item("Widow Fang", longEdge, quickThread),
    item("Thornspike", twinClasp, whetstone),
    item("Last Argument", longEdge, heartRoot),
    item("Hunter's Oath", twinClasp, quickThread),
    item("Ruinbrand", longEdge, longEdge),
    item("Leechsteel", longEdge, wardCloth),
  ],
  crystal: [
    item("Cinder Crown", emberCore, emberShard),
    item("Storm Prism", emberCore, tideGlass),
    item("Frostbite Orb", tideGlass, heartRoot),
    item("Echo Chamber", tideGlass, coldLens),
    item("Starfall Rod", emberCore, emberCore),
    item("Mirror of Wants", tideGlass, wardCloth),
    item("Hexed Candle", emberCore, coldLens),
    item("Dream Siphon", emberCore, heartRoot),
  ],
  guard: [
    item("Bulwark of Dawn", ironShell, heartRoot),
    item("Fountain Idol", veilMantle, heartRoot),
    item("Crucible Bell", ironShell, wardCloth),
    item("Warden's Cloak", veilMantle, oakPlate),
    item("Atlas Greaves", ironShell, coldLens),
    item("Lantern of Calm", veilMantle, coldLens),
    item("Stonewall Crest", ironShell, veilMantle),
    item("Pact Ribbon", veilMantle, quickThread),
  ],
};

const STARTERS: Record<Build, Item> = { weapon: whetstone, crystal: emberShard, guard: heartRoot };

export function shop(random: Random, build: Build, gold: number, minutes: number): Shopping {
  const items: string[] = [];
  const granted: Counts = new Uint8Array(keys.length);
  const used: Counts = new Uint8Array(keys.length);
  const sold: Counts = new Uint8Array(keys.length);

  const affordable = Math.max(1, Math.min(5, Math.floor(gold / 2_400)));
  const bought = chosen(random, build, affordable);
  if (minutes > 6) bought.push(random.pick(BOOTS));
  for (const one of bought) {
    items.push(one.name);
    grant(granted, one);
  }

  for (const one of CONSUMED) consume(random, granted, used, one, 1 + minutes / 5);
  if (minutes > 18) consume(random, granted, used, INFUSIONS[build], 2);

  const starter = STARTERS[build];
  granted[starter.number]!++;
  if (minutes > 10 && random.chance(0.6)) sold[starter.number]!++;
  else if (items.length < 6) items.push(starter.name);
  return {
    items,
    itemGrants: tallied(granted),
    itemUses: tallied(used),
    itemSells: tallied(sold),
  };
}

/**
 * Distinct finished items in one of the orders that guides recommend, with one to survive by.
 * Free choice would be no richer to look at, and objects of ever new shapes are slow to write.
 */
function chosen(random: Random, build: Build, count: number): Item[] {
  const shelf = FINISHED[build];
  const first = random.int(0, shelf.length - 1);
  const own = Array.from({ length: count }, (_, at) => shelf[(first + at * 3) % shelf.length]!);
  if (count > 3 && build !== "guard") own[count - 1] = FINISHED.guard[first]!;
  return own;
}

function grant(granted: Counts, bought: Item): void {
  granted[bought.number]!++;
  for (const part of bought.parts) grant(granted, part);
}

function consume(random: Random, granted: Counts, used: Counts, one: Item, most: number): void {
  const bought = random.int(1, Math.floor(most));
  granted[one.number] = bought;
  used[one.number] = Math.max(1, bought - (random.chance(0.2) ? 1 : 0));
}

function tallied(counts: Counts): { [item: string]: number } {
  const tally: { [item: string]: number } = {};
  for (let number = 0; number < counts.length; number++) {
    if (counts[number]! > 0) tally[keys[number]!] = counts[number]!;
  }
  return tally;
}
