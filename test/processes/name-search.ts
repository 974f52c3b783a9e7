/** What the search for a name looks up. */

import { NameSearch } from "../../src/features/name-search/similar-names.ts";
import {
  charactersAfter,
  namesAround,
  namesBeginning,
} from "../../src/features/name-search/stored.ts";
import { TYPED_NAMES } from "../support/large.ts";
import type { FeatureProcesses, Lookup } from "./features.ts";

function readsFor(typed: string): NonNullable<FeatureProcesses["reads"]> {
  const search = new NameSearch(typed);
  const keys = [search.beginning, search.laterWord, search.reversed];
  const reads: [what: string, read: Lookup["read"], entries: number][] = [
    ["around keys", () => namesAround(keys, 20, 20), 40 * keys.length],
    ["that begin with keys", () => namesBeginning(keys, 20), 20 * keys.length],
    ["after which characters follow", () => charactersAfter(keys, 50), 60],
  ];
  return reads.map(([what, read, entries]) => [
    `the search for the name ${typed}, ${what},`,
    { table: "name_index", read, entries, keys: keys.length },
  ]);
}

export const nameSearch: FeatureProcesses = { reads: TYPED_NAMES.flatMap(readsFor) };
