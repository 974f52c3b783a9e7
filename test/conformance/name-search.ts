/** Conformance: the name index. */

import { expect } from "bun:test";
import { latestFitting } from "../../src/features/name-search/find.ts";
import { indexKeys } from "../../src/features/name-search/similar-names.ts";
import {
  charactersAfter,
  latestNames,
  latestOf,
  namesAround,
  namesBeginning,
} from "../../src/features/name-search/stored.ts";
import type { Reader } from "../../src/store/store.ts";
import { aPlayer, people, seenAt } from "./entries.ts";
import type { FeaturePart } from "./features.ts";
import { byBytes, type Contents, latestFirst } from "./model.ts";
import type { Guarantee } from "./suite.ts";

export const nameSearch: FeaturePart = {
  name: "name-search",
  guarantees: nameGuarantees,
  compare: compareLookups,
};

/**
 * What a search looks up: around keys, by their beginning, the characters that follow them, and by the latest match. Exactly
 * the current names are in the index, each under all of its keys: of those that this write has changed.
 */
async function compareLookups(
  reader: Reader,
  { before, after }: { before: Contents; after: Contents },
  { names: asked, limit }: { names: string[]; limit: number },
): Promise<void> {
  const namesOf = ({ players }: Contents) => [...players.values()].map(({ name }) => name);
  const keysOf = (names: string[]) => [...new Set(names.flatMap(indexKeys))];
  const entries = [...new Set(namesOf(after))]
    .flatMap((name) => indexKeys(name).map((key) => ({ key, name })))
    .sort((a, b) => byBytes(a.key, b.key) || byBytes(a.name, b.name));
  const same = (found: string[], expected: { name: string }[]) =>
    expect(found.sort()).toEqual([...new Set(expected.map(({ name }) => name))].sort());
  const beginningWith = (key: string) => entries.filter((one) => one.key.startsWith(key));

  const whole = keysOf(asked);
  const openings = whole.map((key) => Array.from(key).slice(0, 2).join(""));
  const keys = [...new Set([...whole, ...openings])];
  const changed = keysOf([...namesOf(before), ...namesOf(after)]).map((key) => [key]);
  for (const [index, some] of [keys, ...changed].entries()) {
    same(await reader.read(() => namesBeginning(some, 1000)), some.flatMap(beginningWith));
    // One by one for the first alone: there are many.
    if (index > 4) continue;
    const beginning = some.flatMap((key) => beginningWith(key).slice(0, limit));
    same(await reader.read(() => namesBeginning(some, limit)), beginning);
    for (const earlier of [0, limit]) {
      const around = some.flatMap((key) => {
        const at = entries.filter((one) => byBytes(one.key, key) < 0).length;
        return entries.slice(Math.max(0, at - earlier), at + limit);
      });
      same(await reader.read(() => namesAround(some, earlier, limit)), around);
    }
  }
  const following = keys.flatMap((key) =>
    beginningWith(key).flatMap((one) => {
      const [character] = one.key.slice(key.length);
      return character === undefined ? [] : { name: `${key} ${character}` };
    }),
  );
  const characters = await reader.read(() => charactersAfter(keys, 1000));
  same(
    characters.map((pair) => pair.join(" ")),
    following,
  );
  expect(await reader.read(() => charactersAfter(keys, limit))).toHaveLength(
    Math.min(limit, characters.length),
  );
  const latest = latestFirst(after);
  expect(await reader.read(() => latestNames(1, limit))).toEqual(
    latest.slice(1, 1 + limit).map(({ name }) => name),
  );
  const timeOf = (name: string) => latest.find((one) => one.name === name)!.latest.createdAt;
  const known = asked.filter((name) => latest.some((one) => one.name === name));
  expect(await reader.read(() => latestOf(asked, limit))).toEqual(
    known.sort((a, b) => timeOf(b) - timeOf(a) || (a < b ? -1 : 1)).slice(0, limit),
  );
}

function nameGuarantees(guarantee: Guarantee): void {
  guarantee("names changed by another writer are noticed", async (store) => {
    await people(store.writer, { players: [aPlayer("a", { name: "Ana" })] });
    for (const [name, writer] of [
      ["Bo", store.rival()],
      ["Cy", store.writer],
    ] as const) {
      await writer.write(async (transaction) => {
        await transaction.putPlayers([aPlayer("a", { name })]);
      });
    }
    const reader = await store.reader();
    for (const kind of ["=", "<"])
      expect(await reader.read(() => namesBeginning([kind], 9))).toEqual(["Cy"]);
  });

  guarantee("of the latest players, the names that fit are found, each once", async (store) => {
    const names = Array.from({ length: 1200 }, (_, at) => (at === 30 ? "odd" : `even ${at % 2}`));
    // Each has a later match than the one before.
    await people(store.writer, {
      players: names.map((name, at) => aPlayer(`p${at}`, { name, ...seenAt(1000 + at) })),
    });
    const reader = await store.reader();
    const fits = (name: string) => name !== "even 1";
    expect(await reader.read(() => latestFitting(fits, 5, 2000))).toEqual(["even 0", "odd"]);
    expect(await reader.read(() => latestFitting(fits, 5, 1000))).toEqual(["even 0"]);
    expect(await reader.read(() => latestFitting(() => true, 1, 2000))).toEqual(["even 1"]);
  });
}
