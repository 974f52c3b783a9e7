/** Compares counts in the store with those of the records, in order of their keys. */

import type { SpillingMap } from "../sqlite/spilling-map.ts";
import type { StoredState } from "../store/store.ts";
import type { Context } from "./context.ts";

type Page<V> = [key: string, value: V][];

/** The keys whose values differ, or that only one side has: in steps, without those of steps that find none. */
export async function* differences<V>(
  { step, rows }: Context,
  storedAfter: (state: StoredState, after: string, limit: number) => PromiseLike<Page<V>> | Page<V>,
  counted: SpillingMap<V>,
  areSame: (stored: V | undefined, right: V | undefined) => boolean,
): AsyncGenerator<string[]> {
  for (let after = "", isOver = false; !isOver; ) {
    let different: string[] = [];
    await step(async (state) => {
      const pages = [await storedAfter(state, after, rows), counted.page(after, rows)] as const;
      isOver = pages.every((page) => page.length < rows);
      // Both are complete up to here.
      const end = isOver ? undefined : least(pages, rows);
      const [stored, right] = pages.map(
        (page) => new Map(page.filter(([key]) => end === undefined || key <= end)),
      ) as [Map<string, V>, Map<string, V>];
      different = [...new Set([...stored.keys(), ...right.keys()])].filter(
        (key) => !areSame(stored.get(key), right.get(key)),
      );
      after = end ?? after;
      return stored.size;
    });
    if (different.length > 0) yield different;
  }
}

/** The smaller of the last keys of two pages, of which one may be the last. */
function least<V>(pages: readonly Page<V>[], size: number): string {
  return pages
    .filter((page) => page.length === size)
    .map((page) => page.at(-1)![0])
    .reduce((one, other) => (one < other ? one : other));
}
