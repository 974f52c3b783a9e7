/** The model of hero statistics: counted from the matches. */

import { parametersOf, query } from "../properties/asking.ts";
import { ACTOR_STATS, type Entry } from "./entry.ts";
import type { FeatureQuestions } from "./features.ts";
import { AT, MODES } from "./pages.ts";
import type { Question } from "./question.ts";
import type { Questions } from "./questions.ts";
import { byBytes, type State } from "./state.ts";

const SORTS = [...["hero", "matches", "wins", "winRate", "pickRate"], ...ACTOR_STATS];

interface HeroFilters {
  gameModes?: string[];
  patchVersions?: string[];
}

/** Hero statistics as they are served, by an attribute (or "hero") and then by name. */
function heroesIn(state: State, { gameModes, patchVersions }: HeroFilters, sort: string) {
  const chosen = state.counted.filter(
    ({ mode, patch }) =>
      mode !== "private" &&
      (!gameModes || gameModes.includes(mode)) &&
      (!patchVersions || patchVersions.includes(patch)),
  );
  const sums = state.once(`heroes ${gameModes} ${patchVersions}`, () => sumsOf(chosen));
  const round = (value: number, unit: number) => Math.round(value * unit) / unit;
  const data = [...sums].map(([actor, { matches, wins, stats }]) => ({
    type: "hero",
    id: actor,
    attributes: {
      matches,
      wins,
      winRate: round(wins / matches, 10_000),
      pickRate: round(matches / chosen.length, 10_000),
      ...Object.fromEntries(
        ACTOR_STATS.map((name, at) => [name, round(stats[at]! / 1_000_000 / matches, 100)]),
      ),
    } as Record<string, number>,
  }));
  const name = sort.replace("-", "");
  const sign = sort.startsWith("-") ? -1 : 1;
  data.sort((a, b) => {
    if (name === "hero") return sign * byBytes(a.id, b.id);
    return sign * (a.attributes[name]! - b.attributes[name]!) || byBytes(a.id, b.id);
  });
  return { data, meta: { matches: chosen.length, heroes: data.length, isTruncated: false } };
}

function sumsOf(entries: readonly Entry[]) {
  const sums = new Map<string, { matches: number; wins: number; stats: number[] }>();
  for (const { actors: parts } of entries) {
    for (const { actor, won, stats } of parts) {
      if (actor === "" || actor.length > 128 || actor.includes("\0")) continue;
      const sum = sums.get(actor) ?? { matches: 0, wins: 0, stats: ACTOR_STATS.map(() => 0) };
      sums.set(actor, sum);
      sum.matches += 1;
      sum.wins += won ? 1 : 0;
      for (const [at, value] of stats.entries()) sum.stats[at]! += value;
    }
  }
  return sums;
}

const question = (filters: HeroFilters, sort: string): Question => ({
  kind: "hero statistics",
  path: `${AT}/heroes?${query({ ...parametersOf(filters), sort })}`,
  mayBeStale: true,
  expect: (state) => ({ status: 200, ...heroesIn(state, filters, sort) }),
});

function chosen({ chance, some }: Questions, state: State): Question {
  const patch = () => chance.pick([chance.pick(state.visible)?.patch || "9", "9", "\0"]);
  const filters = {
    ...(chance.oneIn(2) ? { gameModes: some(() => chance.pick(MODES)) } : {}),
    ...(chance.oneIn(3) ? { patchVersions: some(patch) } : {}),
  };
  return question(filters, `${chance.pick(["", "-"])}${chance.pick(SORTS)}`);
}

export const heroes: FeatureQuestions = {
  named: ["hero statistics"],
  kinds: [[2, chosen]],
  every: () =>
    [{}, { gameModes: ["ranked"], patchVersions: ["1.0"] }].map((filters) =>
      question(filters, "-matches"),
    ),
};
