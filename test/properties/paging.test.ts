/** Paging stays within the matches it started with, whatever arrives. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Filters } from "../model/record.ts";
import { State } from "../model/state.ts";
import type { MatchDocument } from "../support/records.ts";
import { scaled } from "../support/scale.ts";
import type { World } from "../support/world.ts";
import { ask, matchesPath, PUBLIC_URL, parametersOf, take, worldOf } from "./asking.ts";
import { history, NAMES, PLAYER_IDS, TAGS, TITLE } from "./histories.ts";

const pagingCase = fc.record({
  documents: history,
  /** The share of documents stored at the start, in per cent. */
  early: fc.integer({ min: 20, max: 80 }),
  sort: fc.constantFrom("createdAt" as const, "-createdAt" as const),
  limit: fc.integer({ min: 1, max: 3 }),
  filters: fc.constantFrom<Filters>(
    {},
    {},
    { gameModes: ["private", "ranked"] },
    { patchVersions: ["2.5"] },
    { playerIds: PLAYER_IDS.slice(0, 3) },
    { playerNames: NAMES.slice(0, 4) },
    { teamNames: TAGS.slice(0, 2) },
  ),
});

test("following next and then prev while matches arrive repeats none and misses none that existed at the start", async () => {
  const keeps = fc.asyncProperty(pagingCase, async ({ documents, early, sort, limit, filters }) => {
    const split = Math.ceil((documents.length * early) / 100);
    const arriving = documents.slice(split);
    const world = await worldOf(documents.slice(0, split));
    try {
      const expected = State.of(documents.slice(0, split), TITLE)
        .list(filters, sort)
        .map(({ id }) => id);
      const start = matchesPath({
        sort,
        "page[limit]": `${limit}`,
        ...parametersOf(filters),
      });
      const first = await pageAt(world, start);
      const forward = await follow(world, first, "next", arriving.splice(0, arriving.length / 2));
      expectKept(forward.ids, expected);
      const back = await follow(world, forward.last, "prev", arriving);
      expectKept(back.ids, expected.toReversed());
    } finally {
      await world.stop();
    }
  });
  await fc.assert(keeps, { numRuns: scaled(45) });
}, 600_000);

/** No duplicates, and the initial matches in order. */
function expectKept(met: string[], expected: string[]): void {
  expect(met.length).toBe(new Set(met).size);
  expect(met.filter((id) => expected.includes(id))).toEqual(expected);
}

interface Page {
  ids: string[];
  links: Record<string, string>;
}

async function pageAt(world: World, path: string): Promise<Page> {
  const { data, links } = JSON.parse((await ask(world, path)).plain.toString());
  return { ids: data.map(({ id }: { id: string }) => id), links };
}

/** Pages from a start to the end in one direction; after every page another match arrives. */
async function follow(
  world: World,
  first: Page,
  direction: "next" | "prev",
  arriving: MatchDocument[],
): Promise<{ ids: string[]; last: Page }> {
  const ids: string[] = [];
  for (let page = first; ; ) {
    ids.push(...(direction === "next" ? page.ids : page.ids.toReversed()));
    if (ids.length > 1000) throw new Error(`the ${direction} links do not end`);
    const [arrival] = arriving.splice(0, 1);
    if (arrival) await take(world, [arrival]);
    const link = page.links[direction];
    if (link === undefined) return { ids, last: page };
    page = await pageAt(world, link.slice(PUBLIC_URL.length));
  }
}
