/**
 * What features look up, which may cost no more in a large shard. As in src/features/list.ts, one is gone without its file
 * and its line here.
 */

import type { Steps } from "../../src/store/steps.ts";
import { nameSearch } from "./name-search.ts";

export interface Lookup {
  table: string;
  read: () => Steps<unknown>;
}

export interface FeatureCosts {
  /** Each with the entries that it finds, and by how many keys. */
  reads: (readonly [what: string, lookup: Lookup & { entries: number; keys: number }])[];
}

export const FEATURES: readonly FeatureCosts[] = [nameSearch];
