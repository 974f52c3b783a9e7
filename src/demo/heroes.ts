/** The heroes of the invented game: roles, skins, and their strength in each patch. */

import { PATCH_COUNT } from "./patches.ts";
import { Random } from "./random.ts";

export type Role = "carry" | "jungler" | "captain";
export type Build = "weapon" | "crystal" | "guard";

export interface Hero {
  name: string;
  role: Role;
  build: Build;
  /** Strength in each patch, around 0. */
  power: readonly number[];
}

const ROSTER: readonly [Role, Build, string][] = [
  ["carry", "weapon", "Ashwin Brannoch Corvane Dessa Elgrim Feyra Gantry Ilsabet"],
  ["carry", "crystal", "Halcyra Ivo Junipra Kestane Lumora Mirelle"],
  ["jungler", "weapon", "Nargath Orsolin Pikeman Quillon Rookhand Sabeth Torvald Tamsin"],
  ["jungler", "crystal", "Umbrik Vesska Wyndle Xanthe Yarrow Zephra"],
  ["captain", "guard", "Aldergard Bastine Cindermaw Dolmen Evergren Flint Grimble Hearthan"],
  ["captain", "crystal", "Isolde Jorunna Knell Lanthorn Moss Nettle"],
];

const SKINS = "DefaultSkin DefaultSkin DefaultSkin Frostbound Nightfall Festival Gilded".split(" ");

const HEROES: readonly Hero[] = ROSTER.flatMap(([role, build, names], group) =>
  names.split(" ").map((name, at) => ({ name, role, build, power: powers(group, at) })),
);

const BY_ROLE = Object.groupBy(HEROES, (hero) => hero.role) as Record<Role, Hero[]>;

/** One of the few heroes that a player with this taste likes best in a role. */
export function favourite(random: Random, role: Role, taste: number): Hero {
  const heroes = BY_ROLE[role];
  return heroes[(taste + random.int(0, 2) * 5) % heroes.length]!;
}

/** Any hero of the role; those that are strong in the patch are picked more often. */
export function fashionable(random: Random, role: Role, patch: number): Hero {
  const one = random.pick(BY_ROLE[role]);
  const other = random.pick(BY_ROLE[role]);
  return one.power[patch]! > other.power[patch]! || random.chance(0.3) ? one : other;
}

export function skinOf(random: Random, hero: Hero): string {
  return `${hero.name}_${random.pick(SKINS)}`;
}

function powers(group: number, at: number): number[] {
  const random = new Random(group, at);
  const base = random.normal() * 0.15;
  return Array.from({ length: PATCH_COUNT }, () => base + random.normal() * 0.12);
}
