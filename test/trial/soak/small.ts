/** Soaks that are small enough for tests. */

import { expect } from "bun:test";
import { FEATURES } from "../../model/features.ts";
import type { Judge } from "./judge.ts";
import { type SoakOptions, soak } from "./soak.ts";
import { STEPS } from "./writer.ts";

export const SMALL: SoakOptions = {
  seed: Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31)),
  // Paced, so that it takes little of the machine.
  rate: 60,
  matches: 300,
  sampleSeconds: 5,
};

/** Every kind of request. */
export const KINDS = [
  ...["304", "HEAD", "If-None-Match, changed or other content"],
  ...["match by id", "withheld match", "pruned match", "unknown match", "include and fields"],
  ...["page, no filter", "page, filters", "page, default window"],
  ...["walk, first page", "walk, next page", "walk, previous page"],
  ...["player by id", "unknown player", "players by ids", "players by names", "recent players"],
  ...FEATURES.flatMap(({ named }) => named),
  ...["wrong: 400 invalid-parameter", "wrong: 401 unauthorized", "wrong: 404 not-found"],
];

const has = ({ kinds }: Pick<Judge, "kinds">) => KINDS.every((kind) => kinds.has(kind));

/** Runs until there was a response of every kind, and a change of every kind. */
export async function expectNothingWrong(options: SoakOptions) {
  const { seed } = options;
  const result = await soak({ ...options, hasEnough: has });
  const mismatches = result.mismatches.map(({ what, exchange }) => [what, exchange.question.path]);
  expect({ seed, mismatches, problems: result.problems }).toEqual({
    ...{ seed, mismatches: [], problems: [] },
  });
  expect(STEPS.filter((kind) => !result.changes.has(kind))).toEqual([]);
  return result;
}
