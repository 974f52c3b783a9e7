/** The two sides of a match: registered players, anonymous players and bots. */

import type { Patch } from "./calendar.ts";
import { fashionable, favourite, type Hero, type Role } from "./heroes.ts";
import type { Occasion } from "./occasion.ts";
import type { Circle, Person, Population, Team } from "./people.ts";
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
  team?: Team;
  seats: Seat[];
}

interface Sitting {
  end: number;
  patch: Patch;
}

type Sitter = number | "anonymous" | "bot";

const ROLES: { [perSide: number]: readonly Role[] } = {
  3: ["carry", "jungler", "captain"],
  5: ["carry", "carry", "jungler", "jungler", "captain"],
};

/** Who plays on a side, before they have heroes. */
export interface Company {
  team?: Team;
  sitters: Sitter[];
}

/** Reserves the players of both sides. */
export function seatBoth(
  random: Random,
  occasion: Occasion,
  population: Population,
  start: number,
  end: number,
): [Company, Company] {
  const left = company(random, occasion, population, start, end, false);
  return [left, company(random, occasion, population, start, end, true, left.team)];
}

/** Gives everyone a hero and a strength. */
export function lineUp(
  random: Random,
  occasion: Occasion,
  companies: [Company, Company],
  population: Population,
  sitting: Sitting,
): [Side, Side] {
  const heroes = new Set<Hero>();
  const settled = ({ team, sitters }: Company): Side => {
    const seats = sitters.map((sitter, at) => {
      const role = ROLES[occasion.perSide]![at]!;
      return settle(random, sitter, role, population, sitting, heroes);
    });
    return team ? { team, seats } : { seats };
  };
  return [settled(companies[0]), settled(companies[1])];
}

function company(
  random: Random,
  occasion: Occasion,
  population: Population,
  start: number,
  end: number,
  right: boolean,
  rival?: Team,
): Company {
  if (random.chance(occasion.premade)) {
    const team = population.seatTeam(random, occasion.perSide, start, end, rival);
    if (team) return { team, sitters: team.members };
  }
  const sitters: Sitter[] = [];
  for (let at = 0; at < occasion.perSide; at++) {
    const first = !right && at === 0;
    const stranger = first ? undefined : strangerAt(random, occasion, right);
    const circle: Circle = first && occasion.circle === "anyone" ? "regulars" : occasion.circle;
    sitters.push(stranger ?? population.seat(random, circle, start, end) ?? "anonymous");
  }
  return { sitters };
}

function strangerAt(
  random: Random,
  occasion: Occasion,
  right: boolean,
): "anonymous" | "bot" | undefined {
  if (occasion.bots === "all but one" || (occasion.bots === "right" && right)) return "bot";
  const relaxed = occasion.circle === "regulars" ? 0.4 : 1;
  const luck = random.unit() / relaxed;
  if (luck < 0.04) return "anonymous";
  if (luck < 0.06 || (occasion.ending === "notenoughplayers" && luck < 0.3)) return "bot";
  return undefined;
}

function settle(
  random: Random,
  sitter: Sitter,
  role: Role,
  population: Population,
  { end, patch }: Sitting,
  taken: Set<Hero>,
): Seat {
  const person = typeof sitter === "number" ? population.person(sitter, end, patch) : undefined;
  let hero =
    person && random.chance(0.6)
      ? favourite(random, role, person.taste)
      : fashionable(random, role, patch.number);
  while (taken.has(hero)) hero = fashionable(random, role, patch.number);
  taken.add(hero);
  const strength = hero.power[patch.number]!;
  if (!person) {
    const bot = sitter === "bot";
    const level = bot ? 1 : random.int(1, 12);
    const weakness = bot ? -1.5 : -0.4;
    return { hero, strength: strength + weakness, skillTier: -1, level, karmaLevel: 0, bot };
  }
  const { skill, skillTier, level, karmaLevel } = person;
  return { hero, strength: strength + skill, skillTier, level, karmaLevel, bot: false, person };
}
