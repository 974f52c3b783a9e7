/**
 * What can be damaged of features. As in src/features/list.ts, one is gone without its file and its line here, and the table
 * goes on without it.
 */

import { heroes } from "./heroes.ts";
import { leaderboards } from "./leaderboards.ts";
import { nameSearch } from "./name-search.ts";
import type { Place } from "./places.ts";
import type { Columns, Unlike } from "./row.ts";

export interface FeatureDamage {
  rows: readonly Columns[];
  unlike?: readonly Unlike[];
  /** Paths that find players. */
  searches?: readonly string[];
  /** Rows that its counts are read from, or without which they would be wrong. */
  counts?: readonly string[];
  tests?(place: Place): void;
  /** Rows that `npm test` has in both stores. */
  everywhere: readonly string[];
}

export const FEATURES: readonly FeatureDamage[] = [nameSearch, leaderboards, heroes];
