/** Conformance: the name index. */

import { expect } from "bun:test";
import { latestFitting } from "../../src/features/name-search/find.ts";
import { indexKeys } from "../../src/features/name-search/similar-names.ts";
import { lookupsIn } from "../../src/features/name-search/stored.ts";
import type { Reader } from "../../src/store/store.ts";
import { aPlayer, people, seenAt } from "./entries.ts";
import type { Guarantee, TestStore } from "./suite.ts";

/** The names listed under all of their keys; fails if one is listed under some of them only. */
export async function listedOf(reader: Reader, names: string[]): Promise<string[]> {
  const listed: string[] = [];
  for (const name of names) {
    const spots = indexKeys(name);
    let found = 0;
    for (const spot of spots) {
      if ((await lookupsIn(reader).around([spot], 0, 100)).includes(name)) found += 1;
    }
    if (found === 0) continue;
    expect([name, found]).toEqual([name, spots.length]);
    listed.push(name);
  }
  return listed;
}

export function nameGuarantees(guarantee: Guarantee): void {
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
    expect(await listedOf(await store.reader(), ["Ana", "Bo", "Cy"])).toEqual(["Cy"]);
  });

  guarantee(
    "a lookup returns the entries at or after a key, and those before it",
    async (store) => {
      const names = ["ada", "Ada", "adb", "aed", "ac", "名", "zoe"];
      await people(store.writer, {
        players: names.map((name, index) => aPlayer(`p${index}`, { name })),
      });
      const reader = await store.reader();
      // By the letters, then by name, byte by byte.
      const inOrder = ["ac", "Ada", "ada", "adb", "aed", "zoe", "名"];
      const at = (name: string) => indexKeys(name)[0]!;
      for (const [index, name] of inOrder.entries()) {
        const first = name === "ada" ? index - 1 : index;
        for (const limit of [1, 2, 3]) {
          const after = inOrder.slice(first, first + limit);
          const before = inOrder.slice(Math.max(0, first - limit), first);
          const found = await lookupsIn(reader).around([at(name)], limit, limit);
          // After the last and before the first are keys of other kinds.
          const isWithin = first >= limit && first + limit <= inOrder.length;
          if (isWithin) expect(found.sort()).toEqual([...before, ...after].sort());
        }
      }
      expect(await lookupsIn(reader).around([at("adb")], 0, 1)).toEqual(["adb"]);
      expect((await lookupsIn(reader).around([at("ac"), at("zoe")], 0, 1)).sort()).toEqual([
        "ac",
        "zoe",
      ]);
      expect((await lookupsIn(reader).around([at("ada"), at("adb")], 0, 3)).sort()).toEqual([
        "Ada",
        "ada",
        "adb",
        "aed",
        "zoe",
      ]);
      expect(await lookupsIn(reader).around([], 5, 5)).toEqual([]);
    },
  );

  /** Players with these names, each with a later match than the one before. */
  const inOrderOfMatches = (store: TestStore, names: string[]) =>
    people(store.writer, {
      players: names.map((name, at) => aPlayer(`p${at}`, { name, ...seenAt(1000 + at) })),
    });

  guarantee("names are found by the beginning of a key", async (store) => {
    await inOrderOfMatches(store, ["ada", "Adam", "adb", "AD", "bad", "😀a", "😀", "StormAdam"]);
    const reader = await store.reader();
    const found = async (keys: string[], limit: number) =>
      (await lookupsIn(reader).beginning(keys, limit)).sort();
    expect(await found(["=ad"], 10)).toEqual(["AD", "Adam", "ada", "adb"]);
    expect(await lookupsIn(reader).beginning(["=ad"], 2)).toEqual(["AD", "ada"]);
    expect(await found(["=ad", "=ada", "=b"], 2)).toEqual(["AD", "Adam", "ada", "bad"]);
    expect(await found(["=😀", "+ada"], 10)).toEqual(["StormAdam", "😀", "😀a"]);
    expect(await found(["=c", "=adam1"], 10)).toEqual([]);
    expect(await found([], 10)).toEqual([]);
  });

  guarantee("the characters that follow a key are found, each once", async (store) => {
    await inOrderOfMatches(store, ["ada", "adam", "adb", "ad", "bad", "a名", "a😀", "a😀b", "z"]);
    const reader = await store.reader();
    const found = async (keys: string[]) =>
      (await lookupsIn(reader).charactersAfter(keys, 100)).map((pair) => pair.join(" ")).sort();
    expect(await found(["=a"])).toEqual(["=a d", "=a 名", "=a 😀"].sort());
    expect(await found(["=ad", "=a😀", "=z", "=q"])).toEqual(["=ad a", "=ad b", "=a😀 b"].sort());
    expect(await found([])).toEqual([]);
    expect(await lookupsIn(reader).charactersAfter(["=a", "=ad"], 2)).toHaveLength(2);
  });

  guarantee("of some names, those of the latest matches are found first", async (store) => {
    await inOrderOfMatches(store, ["d", "a", "c", "b", "a"]);
    const reader = await store.reader();
    expect(await lookupsIn(reader).latestOf(["b", "c", "a", "nobody", "d"], 3)).toEqual([
      "a",
      "b",
      "c",
    ]);
    expect(await lookupsIn(reader).latestOf([], 3)).toEqual([]);
  });

  guarantee("of the latest players, the names that fit are found, each once", async (store) => {
    const names = Array.from({ length: 1200 }, (_, at) => (at === 30 ? "odd" : `even ${at % 2}`));
    await inOrderOfMatches(store, names);
    const reader = await store.reader();
    const fits = (name: string) => name !== "even 1";
    expect(await latestFitting(lookupsIn(reader), fits, 5, 2000)).toEqual(["even 0", "odd"]);
    expect(await latestFitting(lookupsIn(reader), fits, 5, 1000)).toEqual(["even 0"]);
    expect(await latestFitting(lookupsIn(reader), () => true, 1, 2000)).toEqual(["even 1"]);
  });
}
