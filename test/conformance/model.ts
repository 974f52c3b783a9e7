/** Conformance: compares a store with a model that filters, sorts and slices. */

import { expect } from "bun:test";
import fc from "fast-check";
import type { Gap } from "../../src/query/query.ts";
import type { Lineup, MatchEntry, Selection } from "../../src/store/store.ts";
import { costly } from "../support/scale.ts";
import { addPlainly, anEntry, idsOf, inOrder, namesIn, selection } from "./entries.ts";
import type { Guarantee, TestStore } from "./suite.ts";

/** The expected result of `Reader.matches` for these entries. */
function modelPage(entries: MatchEntry[], asked: Selection) {
  const found = entries.filter((entry) => isSelected(entry, asked)).sort(inOrder);
  if (asked.sort === "-createdAt") found.reverse();
  const [start, end] = span(found, asked);
  const matches = found.slice(start, end);
  const distinct = (ids: string[]) => [...new Set(ids)];
  const players = distinct(matches.flatMap((entry) => entry.players.map(({ id }) => id)));
  const teams = distinct(matches.flatMap((entry) => entry.teams.map(({ id }) => id)));
  const isAstray = asked.pageStart.from === "offset" && matches.length === 0;
  return {
    matches: matches.map(({ id }) => id),
    players: players.map((id) => `player ${id}`),
    teams: teams.map((id) => `team ${id}`),
    edges:
      matches.length === 0 ? undefined : { first: spot(matches[0]!), last: spot(matches.at(-1)!) },
    more: { before: start > 0 && !isAstray, after: end < found.length && !isAstray },
  };
}

const spot = ({ createdAt, id }: MatchEntry) => ({ createdAt, id });

function isSelected(entry: MatchEntry, asked: Selection): boolean {
  const { window, gameModes, patchVersions } = asked;
  const playing = entry.players.filter(({ result }) => result !== "named").map(({ id }) => id);
  const entered = entry.teams.filter(({ plays }) => plays).map(({ id }) => id);
  return (
    entry.createdAt >= window.start &&
    entry.createdAt <= window.end &&
    asked.players.every((ids) => ids.some((id) => playing.includes(id))) &&
    asked.teams.every((ids) => ids.some((id) => entered.includes(id))) &&
    (gameModes === undefined || gameModes.includes(entry.gameMode)) &&
    (patchVersions === undefined || patchVersions.includes(entry.patchVersion))
  );
}

/** The range of the found matches that the page covers. */
function span(found: MatchEntry[], { pageStart, sort, limit }: Selection): [number, number] {
  const within = (index: number) => Math.max(0, Math.min(index, found.length));
  if (pageStart.from === "offset")
    return [within(pageStart.offset), within(pageStart.offset + limit)];
  const isPassed = (entry: MatchEntry) =>
    liesBelow(entry, pageStart.gap) === (sort === "createdAt");
  const passed = found.filter(isPassed).length;
  return pageStart.from === "after"
    ? [passed, within(passed + limit)]
    : [within(passed - limit), passed];
}

function liesBelow(entry: MatchEntry, gap: Gap): boolean {
  const order = inOrder(entry, gap);
  return order < 0 || (order === 0 && gap.side === "after");
}

// Few distinct values, so that times, players and cursors often coincide.
const time = fc.integer({ min: -3, max: 6 });
const id = fc.string({ unit: fc.constantFrom(..."-09AZ_az"), minLength: 1, maxLength: 2 });
const modes = ["ranked", "casual", "private"];
const patches = ["1", "2", "2 "];
const players = ["p", "P", "q", "r", "s"];
const teams = ["t", "u", "T"];
const some = <T>(values: T[]) => fc.subarray(values, { maxLength: 3 });

export const entryWith = (ids: fc.Arbitrary<string>): fc.Arbitrary<MatchEntry> =>
  fc
    .record({
      id: ids,
      createdAt: time,
      mode: fc.constantFrom(...modes),
      patch: fc.constantFrom(...patches),
      players: fc.dictionary(
        fc.constantFrom(...players),
        fc.constantFrom("won" as const, "lost" as const, "named" as const),
        { maxKeys: 4, noNullPrototype: true },
      ),
      teams: fc.dictionary(fc.constantFrom(...teams), fc.boolean(), {
        maxKeys: 2,
        noNullPrototype: true,
      }),
    })
    .map(({ id: matchId, ...wishes }) => anEntry(matchId, wishes));

const gap: fc.Arbitrary<Gap> = fc.record({
  createdAt: fc.integer({ min: -4, max: 7 }),
  id,
  side: fc.constantFrom("before" as const, "after" as const),
});

const lists = (values: string[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<string[][]>([]) },
    { weight: 4, arbitrary: fc.array(some([...values, "nobody"]), { minLength: 1, maxLength: 2 }) },
  );
const maybe = (values: string[]) =>
  fc.option(some([...values, "none"]), { nil: undefined, freq: 2 });

const asked: fc.Arbitrary<Selection> = fc.record({
  window: fc
    .tuple(fc.integer({ min: -4, max: 7 }), fc.integer({ min: 0, max: 11 }))
    .map(([start, length]) => ({ start, end: start + length })),
  sort: fc.constantFrom("createdAt" as const, "-createdAt" as const),
  pageStart: fc.oneof(
    fc.record({ from: fc.constant("offset" as const), offset: fc.integer({ min: 0, max: 12 }) }),
    fc.record({ from: fc.constant("after" as const), gap }),
    fc.record({ from: fc.constant("before" as const), gap }),
  ),
  limit: fc.integer({ min: 1, max: 6 }),
  players: lists(players),
  teams: lists(teams),
  gameModes: maybe(modes),
  patchVersions: maybe(patches),
});

/** A history of a shard: matches added in several writes, some of them removed again. */
const history = fc.record({
  entries: fc.uniqueArray(entryWith(id), {
    selector: (one) => one.id,
    minLength: 4,
    maxLength: 30,
  }),
  writes: fc.integer({ min: 1, max: 4 }),
  going: fc.infiniteStream(fc.boolean()).map((stream) => stream.take(30)),
  selections: fc.array(asked, { minLength: 30, maxLength: 40 }),
});

export function modelGuarantees(guarantee: Guarantee): void {
  guarantee(
    "any selection of any matches equals filter, sort and slice",
    async (store) => {
      const reader = await store.reader();
      const answersAlike = fc.asyncProperty(history, async (given) => {
        const going = [...given.going];
        const gone = given.entries.filter((_, index) => going[index] && index % 3 === 0);
        const left = given.entries.filter((one) => !gone.includes(one));
        await fill(store, given.entries, given.writes);
        await remove(store, gone, left);
        try {
          for (const chosen of given.selections) {
            const page = await reader.matches(chosen);
            const { edges, more } = page;
            const model = modelPage(left, chosen);
            expect({ ...namesIn(page), edges, more }).toEqual(model);
            if (chosen !== given.selections[0]) continue;
            const { lineups, hasMore } = await reader.lineups(chosen);
            expect([lineups.map(playersIn), hasMore]).toEqual([
              model.matches.map((id) => left.find((entry) => entry.id === id)!.players),
              more.after,
            ]);
          }
        } finally {
          await remove(store, left, []);
        }
        expect(idsOf(await reader.matches(selection()))).toEqual([]);
      });
      await fc.assert(answersAlike, { numRuns: costly(150) });
    },
    240_000,
  );
}

const playersIn = ({ players }: Lineup) =>
  players.map(({ id, result }) => ({ id, result: result! }));

async function fill({ writer }: TestStore, entries: MatchEntry[], writes: number): Promise<void> {
  for (let part = 0; part < writes; part++) {
    const batch = entries.filter((_, index) => index % writes === part);
    await writer.write((transaction) => addPlainly(transaction, batch));
  }
}

/**
 * As the contract requires: players and teams without matches are removed in the same transaction.
 */
async function remove(
  { writer }: TestStore,
  gone: MatchEntry[],
  left: MatchEntry[],
): Promise<void> {
  const orphans = (kind: "players" | "teams") => {
    const named = new Set(left.flatMap((one) => one[kind].map((person) => person.id)));
    const before = gone.flatMap((one) => one[kind].map((person) => person.id));
    return [...new Set(before)].filter((person) => !named.has(person));
  };
  await writer.write(async (transaction) => {
    await transaction.removeServed(gone);
    await transaction.removePlayers(orphans("players"));
    await transaction.removeTeams(orphans("teams"));
  });
}
