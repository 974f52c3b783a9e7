/** The filters and the order of the heroes page, and how its URL holds them. */

import { ACTOR_SORTS, type ActorSort, COUNTED_MODES } from "../../../domain/actors.ts";
import type { GAME_MODES } from "../../../domain/modes.ts";

type GameMode = (typeof GAME_MODES)[number];

export interface Filters {
  /** Undefined for all modes. */
  mode: GameMode | undefined;
  /** Undefined for all patches. */
  patch: string | undefined;
  sort: ActorSort;
}

export const DEFAULT_SORT: ActorSort = "-matches";

/** The modes that can be selected: private matches never count. */
export const MODES = COUNTED_MODES as readonly GameMode[];

/** Values that are not valid count as absent, so that an edited URL still shows heroes. */
export function filtersOf(search: URLSearchParams): Filters {
  const sort = search.get("sort");
  return {
    mode: MODES.find((mode) => mode === search.get("mode")),
    patch: search.get("patch")?.trim() || undefined,
    sort: ACTOR_SORTS.find((known) => known === sort) ?? DEFAULT_SORT,
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

export type Column = ActorSort extends `-${infer Name}` ? Name : ActorSort;

export const columnOf = (sort: ActorSort): string => sort.replace("-", "");

/** The order after a click on a column: first the direction that is usual, then the other one. */
export function nextSort(sort: ActorSort, column: string): ActorSort {
  const usual = (column === "actor" ? column : `-${column}`) as ActorSort;
  const other = (column === "actor" ? `-${column}` : column) as ActorSort;
  return sort === usual ? other : usual;
}
