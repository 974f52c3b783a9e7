/** What reads may cost in every store: it is bounded by the page, not by the shard. */

import { expect, test } from "bun:test";
import type { Selection } from "../../src/store/store.ts";
import {
  COMBINATIONS,
  LIMIT,
  MATCHES,
  PAGE_STARTS,
  rowsOf,
  SINGLE_FILTERS,
  WINDOW,
} from "../support/large.ts";
import { FEATURES, type Lookup } from "./features.ts";

export interface Cost {
  /** In units of the store. */
  cost: number;
  /** What was run, for messages. */
  says: string;
}

export interface CostingStore {
  /** One for each way in which the store may run it. */
  page(selection: Selection): Cost[] | Promise<Cost[]>;
  lookups(lookup: Lookup): Cost[] | Promise<Cost[]>;
  most: {
    /** A page by one filter with so many values. */
    byOne(values: number): number;
    /** A page by so many filters, of which the most selective has so many rows in the window. */
    bySeveral(filters: number, shortest: number): number;
    /** So many entries of an index, found by so many keys. */
    entries(entries: number, keys: number): number;
    /** For a row that is read. */
    row: number;
  };
}

/** The same object, with a look at each call of a method before it happens. `call` may return a result of its own. */
export const watched = <T extends object>(
  target: T,
  call: (name: string, args: unknown[]) => unknown,
): T =>
  new Proxy(target, {
    get(_, name) {
      const member = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => call(String(name), args) ?? member.apply(target, args);
    },
  });

/** Registers the tests of a store. */
export function testCosts({ page, lookups, most }: CostingStore): void {
  const within = (costs: readonly Cost[], limit: number, what: unknown) => {
    for (const { cost, says } of costs) {
      const text = `${JSON.stringify(what)}: ${cost}, at most ${limit}\n${says}`;
      expect(cost <= limit || text).toBe(true);
    }
  };

  test.each(SINGLE_FILTERS)(
    "a page by %s costs no more than its rows",
    async (_, filter, values) => {
      for (const pageStart of PAGE_STARTS) {
        for (const sort of ["createdAt", "-createdAt"] as const) {
          const selection = { ...filter, ...WINDOW, sort, pageStart, limit: LIMIT };
          within(await page(selection), most.byOne(values), { pageStart, sort });
        }
      }
    },
  );

  test.each(COMBINATIONS)(
    "a page by %s costs no more than the rows of the most selective filter in the window",
    async (_, filter) => {
      const rows = rowsOf(filter);
      const limit = most.bySeveral(rows.length, Math.min(...rows));
      expect(limit / most.row).toBeLessThan(MATCHES);
      for (const pageStart of PAGE_STARTS) {
        const sort = "createdAt" as const;
        const selection = { ...filter, ...WINDOW, sort, pageStart, limit: LIMIT };
        within(await page(selection), limit, pageStart);
      }
    },
  );

  const reads = FEATURES.flatMap(({ reads: some = [] }) => some);
  test.each(reads)("%s costs no more than the entries", async (what, lookup) => {
    within(await lookups(lookup), most.entries(lookup.entries, lookup.keys), what);
  });
}
