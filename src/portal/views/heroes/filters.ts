/** The filters and the order of the heroes page, and how its URL holds them. */

import type { GameMode } from "../../../../client/src/index.ts";
import { COUNTED_MODES } from "../../../domain/modes.ts";
import {
  HERO_SORTS,
  type HeroSort,
  type HeroSummary,
} from "../../../features/heroes/statistics.ts";

export interface Filters {
  /** Undefined for all modes. */
  mode: GameMode | undefined;
  /** Undefined for all patches. */
  patch: string | undefined;
  sort: HeroSort;
}

const DEFAULT_SORT: HeroSort = "-matches";

/** The modes that can be selected: private matches never count. */
export const MODES = COUNTED_MODES as readonly GameMode[];

/** Values that are not valid count as absent, so that an edited URL still shows heroes. */
export function filtersOf(search: URLSearchParams): Filters {
  return {
    mode: MODES.find((mode) => mode === search.get("mode")),
    patch: search.get("patch")?.trim() || undefined,
    sort: HERO_SORTS.find((known) => known === search.get("sort")) ?? DEFAULT_SORT,
  };
}

/** The query of the page's URL. Defaults are left out. */
export function searchOf({ mode, patch, sort }: Filters): URLSearchParams {
  const search = new URLSearchParams();
  if (mode) search.set("mode", mode);
  if (patch) search.set("patch", patch);
  if (sort !== DEFAULT_SORT) search.set("sort", sort);
  return search;
}

export const columnOf = (sort: HeroSort) => sort.replace("-", "") as keyof HeroSummary;

/** The order after a click on a column: first the direction that is usual, then the other one. */
export function nextSort(sort: HeroSort, column: string): HeroSort {
  const [usual, other] = column === "hero" ? [column, `-${column}`] : [`-${column}`, column];
  return (sort === usual ? other : usual) as HeroSort;
}
