/** What a participant buys, by hero and gold. */

import type { Build } from "./heroes.ts";
import type { Random } from "./random.ts";

interface Item {
  name: string;
  number: number;
  parts: readonly Item[];
}

type Counts = Uint8Array;

const keys: string[] = [];
const known = new Map<string, Item>();

/** Items in the order of the text: a name, and after a colon the names of its parts. */
function itemsOf(text: string): Item[] {
  return text.split(", ").map((recipe) => {
    const [name, parts] = recipe.split(": ") as [string, string?];
    const number = keys.push(`*Item_${name.replaceAll(/[^A-Za-z]/g, "")}*`) - 1;
    const item = { name, number, parts: parts?.split(" + ").map((part) => known.get(part)!) ?? [] };
    known.set(name, item);
    return item;
  });
}

itemsOf(
  "Whetstone, Quick Thread, Ember Shard, Cold Lens, Oak Plate, Ward Cloth, Heart Root, Path Stone",
);
itemsOf("Long Edge: Whetstone, Twin Clasp: Quick Thread, Ember Core: Ember Shard");
itemsOf("Tide Glass: Cold Lens, Iron Shell: Oak Plate, Veil Mantle: Ward Cloth");
const BOOTS = itemsOf("Trail Boots: Path Stone, Strider Boots: Path Stone");
const CONSUMED = itemsOf("Scout Flare, Scout Lamp, Minor Draught");
const [weapon, crystal, guard] = itemsOf("Weapon Tonic, Crystal Tonic, Guard Tonic");
const INFUSIONS: Record<Build, Item> = { weapon: weapon!, crystal: crystal!, guard: guard! };

const FINISHED: Record<Build, readonly Item[]> = {
  weapon: itemsOf(
    "Sunder Blade: Long Edge + Whetstone, Gale Cutter: Twin Clasp + Long Edge, Widow Fang: Long Edge + Quick Thread, Thornspike: Twin Clasp + Whetstone, Last Argument: Long Edge + Heart Root, Hunter's Oath: Twin Clasp + Quick Thread, Ruinbrand: Long Edge + Long Edge, Leechsteel: Long Edge + Ward Cloth",
  ),
  crystal: itemsOf(
    "Cinder Crown: Ember Core + Ember Shard, Storm Prism: Ember Core + Tide Glass, Frostbite Orb: Tide Glass + Heart Root, Echo Chamber: Tide Glass + Cold Lens, Starfall Rod: Ember Core + Ember Core, Mirror of Wants: Tide Glass + Ward Cloth, Hexed Candle: Ember Core + Cold Lens, Dream Siphon: Ember Core + Heart Root",
  ),
  guard: itemsOf(
    "Bulwark of Dawn: Iron Shell + Heart Root, Fountain Idol: Veil Mantle + Heart Root, Crucible Bell: Iron Shell + Ward Cloth, Warden's Cloak: Veil Mantle + Oak Plate, Atlas Greaves: Iron Shell + Cold Lens, Lantern of Calm: Veil Mantle + Cold Lens, Stonewall Crest: Iron Shell + Veil Mantle, Pact Ribbon: Veil Mantle + Quick Thread",
  ),
};

const STARTERS = { weapon: "Whetstone", crystal: "Ember Shard", guard: "Heart Root" } as const;

export function shop(random: Random, build: Build, gold: number, minutes: number) {
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

  const starter = known.get(STARTERS[build])!;
  granted[starter.number]!++;
  if (minutes > 10 && random.chance(0.6)) sold[starter.number]!++;
  else if (items.length < 6) items.push(starter.name);
  const [itemGrants, itemUses, itemSells] = [tallied(granted), tallied(used), tallied(sold)];
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
