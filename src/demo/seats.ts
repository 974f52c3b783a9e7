/** The two sides of a match: registered players, anonymous players and bots, with their heroes. */

import { fashionable, favourite, type Hero, type Role } from "./heroes.ts";
import type { Occasion } from "./occasion.ts";
import type { Patch } from "./patches.ts";
import type { Person, Population, Team } from "./people.ts";
import type { Random } from "./random.ts";

export interface Seat {
  hero: Hero;
  /** Strength that includes the hero's; 0 is average. */
  strength: number;
  skillTier: number;
  level: number;
  karmaLevel: number;
  bot: boolean;
  /** Absent for anonymous players and bots. */
  person?: Person;
}

export interface Side {
  team: Team | undefined;
  seats: Seat[];
}

type Sitter = number | "anonymous" | "bot";

const ROLES: Readonly<Record<Occasion["perSide"], readonly Role[]>> = {
  3: ["carry", "jungler", "captain"],
  5: ["carry", "carry", "jungler", "jungler", "captain"],
};

/** Reserves the players of a match until `end`, in seconds since the epoch. No hero is played twice. */
export function seatBoth(
  random: Random,
  occasion: Occasion,
  population: Population,
  end: number,
  share: number,
  patch: Patch,
): [Side, Side] {
  const start = end - occasion.duration;
  const heroes = new Set<Hero>();
  const side = (isRight: boolean, rival?: Team): Side => {
    const team = random.chance(occasion.premade)
      ? population.seatTeam(random, occasion.perSide, start, end, rival)
      : undefined;
    const sitters: readonly Sitter[] =
      team?.members ??
      ROLES[occasion.perSide].map((_, at) => {
        // Somebody is a registered player, and in most modes one who also plays ranked.
        const isFirst = !isRight && at === 0;
        const circle = isFirst && occasion.circle === "anyone" ? "regulars" : occasion.circle;
        const stranger = isFirst ? undefined : strangerAt(random, occasion, isRight);
        return stranger ?? population.seat(random, circle, start, end) ?? "anonymous";
      });
    const seats = sitters.map((sitter, at) => {
      const person =
        typeof sitter === "number" ? population.person(sitter, share, patch) : undefined;
      const hero = heroOf(random, ROLES[occasion.perSide][at]!, person, patch, heroes);
      return seatOf(random, hero.power[patch.number]!, hero, sitter, person);
    });
    return { team, seats };
  };
  const left = side(false);
  return [left, side(true, left.team)];
}

function strangerAt(random: Random, { bots, circle, ending }: Occasion, isRight: boolean) {
  if (bots && isRight) return "bot";
  const luck = random.unit() / (circle === "regulars" ? 0.4 : 1);
  if (luck < 0.04) return "anonymous";
  return luck < 0.06 || (ending === "notenoughplayers" && luck < 0.3) ? "bot" : undefined;
}

function heroOf(
  random: Random,
  role: Role,
  person: Person | undefined,
  patch: Patch,
  taken: Set<Hero>,
): Hero {
  const likes = person && random.chance(0.6);
  let hero = likes ? favourite(random, role, person.taste) : undefined;
  while (!hero || taken.has(hero)) hero = fashionable(random, role, patch.number);
  taken.add(hero);
  return hero;
}

function seatOf(
  random: Random,
  power: number,
  hero: Hero,
  sitter: Sitter,
  person: Person | undefined,
): Seat {
  if (person) {
    const { skill, skillTier, level, karmaLevel } = person;
    return { hero, strength: power + skill, skillTier, level, karmaLevel, bot: false, person };
  }
  const bot = sitter === "bot";
  const strength = power - (bot ? 1.5 : 0.4);
  return { hero, strength, skillTier: -1, level: bot ? 1 : random.int(1, 12), karmaLevel: 0, bot };
}
