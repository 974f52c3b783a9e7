/**
 * What callers ask of features. As in src/features/list.ts, one is gone without its file and its line here, and nothing is
 * asked about it.
 */

import { changes } from "./changes.ts";
import { heroes } from "./heroes.ts";
import { leaderboards } from "./leaderboards.ts";
import { playedWith } from "./played-with.ts";
import type { Question } from "./question.ts";
import type { Questions } from "./questions.ts";
import type { State } from "./state.ts";

export interface FeatureQuestions {
  /** What its questions are called. */
  named: readonly string[];
  kinds: readonly [weight: number, make: (questions: Questions, state: State) => Question][];
  /** Everything that can be counted from the records of a small shard with these players. */
  every?(shard: { ids: readonly string[]; now: () => number; depth: number }): Question[];
}

export const FEATURES: readonly FeatureQuestions[] = [playedWith, leaderboards, heroes, changes];
