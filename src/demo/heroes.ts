/** The heroes of the invented game: their roles, strength, skins and items. */

import { Random } from "./random.ts";

export type Role = "carry" | "jungler" | "captain";
type Build = "weapon" | "crystal" | "guard";

export interface Hero {
  name: string;
  role: Role;
  build: Build;
}

const ROSTER: readonly [Role, Build, string][] = [
  ["carry", "weapon", "Ashwin Brannoch Corvane Dessa Elgrim Feyra Gantry Ilsabet"],
  ["carry", "crystal", "Halcyra Ivo Junipra Kestane Lumora Mirelle"],
  ["jungler", "weapon", "Nargath Orsolin Pikeman Quillon Rookhand Sabeth Torvald Tamsin"],
  ["jungler", "crystal", "Umbrik Vesska Wyndle Xanthe Yarrow Zephra"],
  ["captain", "guard", "Aldergard Bastine Cindermaw Dolmen Evergren Flint Grimble Hearthan"],
  ["captain", "crystal", "Isolde Jorunna Knell Lanthorn Moss Nettle"],
];

const HEROES: readonly Hero[] = ROSTER.flatMap(([role, build, names]) =>
  names.split(" ").map((name) => ({ name, role, build })),
);
const BY_ROLE = Object.groupBy(HEROES, ({ role }) => role) as Record<Role, Hero[]>;

const SKINS = ["DefaultSkin", "DefaultSkin", "Frostbound", "Nightfall", "Festival", "Gilded"];

/** In the order in which they are usually bought. */
const ITEMS: Readonly<Record<Build, string>> = {
  weapon:
    "Sunder Blade, Thornspike, Leechsteel, Widow Fang, Ruinbrand, Gale Cutter, Hunter's Oath, Last Argument",
  crystal:
    "Cinder Crown, Echo Chamber, Dream Siphon, Frostbite Orb, Hexed Candle, Storm Prism, Mirror of Wants, Starfall Rod",
  guard:
    "Bulwark of Dawn, Warden's Cloak, Pact Ribbon, Crucible Bell, Lantern of Calm, Fountain Idol, Atlas Greaves, Stonewall Crest",
};
const BOOTS = ["Trail Boots", "Strider Boots"];
const CONSUMED =
  "Scout Flare, Scout Lamp, Minor Draught, Battle Tonic, Ember Flask, Warding Oil".split(", ");

/** Players prefer a few heroes, by their taste; without one, what is strong in the patch. */
export function heroFor(random: Random, role: Role, patch: string, taste?: number): Hero {
  const heroes = BY_ROLE[role];
  if (taste !== undefined && random.chance(0.6)) {
    return heroes[(taste + random.int(0, 2) * 5) % heroes.length]!;
  }
  const [one, other] = [random.pick(heroes), random.pick(heroes)];
  return powerOf(one, patch) > powerOf(other, patch) || random.chance(0.3) ? one : other;
}

/** Around 0, and a little different in each patch. */
export function powerOf({ name }: Hero, patch: string): number {
  return new Random(name).normal() * 0.15 + new Random(name, patch).normal() * 0.12;
}

/**
 * What a participant has bought. Few typical orders: free choice would not look richer, and objects of many different
 * shapes are slow to serialize.
 */
export function equipment(random: Random, { name, build }: Hero, gold: number, minutes: number) {
  const shelf = ITEMS[build].split(", ");
  const first = random.int(0, shelf.length - 1);
  const count = Math.max(1, Math.min(5, Math.floor(gold / 2_400)));
  const items = [...shelf, ...shelf].slice(first, first + count);
  if (minutes > 6) items.push(random.pick(BOOTS));
  const used = random.int(1, 1 + Math.floor(minutes / 5));
  return {
    items,
    itemGrants: counted([...items, ...CONSUMED], used),
    itemUses: counted(CONSUMED, used),
    itemSells: {},
    skinKey: `${name}_${random.pick(SKINS)}`,
  };
}

/** Of each item one, and so many of those that are used up. */
function counted(names: readonly string[], used: number): Record<string, number> {
  return Object.fromEntries(
    names.map((name) => [
      `*Item_${name.replaceAll(/[^A-Za-z]/g, "")}*`,
      CONSUMED.includes(name) ? used : 1,
    ]),
  );
}
