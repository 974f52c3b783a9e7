/** Conformance: the statistics of heroes. */

import { expect } from "bun:test";
import { type HeroTotals, NOTHING } from "../../src/features/heroes/statistics.ts";
import { HERO_STATS, readHeroes } from "../../src/features/heroes/stored.ts";
import { type MatchKey, NotReady, type Reader, type Writer } from "../../src/store/store.ts";
import { changeHeroes, heroTotals } from "../support/heroes.ts";
import type { Guarantee } from "./suite.ts";

const totals = (
  key: string,
  sums: Partial<Omit<HeroTotals, "gameMode" | "patchVersion" | "hero">> = {},
): HeroTotals => {
  const [gameMode, patchVersion, hero] = key.split("/") as [string, string, string];
  return { gameMode, patchVersion, hero, isPruned: false, ...NOTHING, ...sums };
};

const change = (writer: Writer, ...changes: HeroTotals[]): Promise<void> =>
  writer.write(async (transaction) => changeHeroes(transaction, changes));

const keyOf = ({ gameMode, patchVersion, hero }: HeroTotals) =>
  `${gameMode}/${patchVersion}/${hero}`;

/** Keys in any order. */
const found = (read: Awaited<ReturnType<typeof all>> | undefined) => ({
  keys: read?.rows.map(keyOf).toSorted(),
  isTruncated: read?.isTruncated,
});

const LIMIT = 100;
const all = (reader: Reader, gameModes = ["casual", "ranked"], patchVersions?: string[]) =>
  reader.read(() => readHeroes({ gameModes, patchVersions, limit: LIMIT }));

export function heroGuarantees(guarantee: Guarantee): void {
  guarantee(
    "statistics of heroes add up, also beyond 64 bits, and rows of zero are deleted",
    async (store) => {
      const { writer } = store;
      const reader = await store.reader();
      const huge = 10n ** 40n;
      const sums = { picks: 3, wins: 1, kills: 5n, deaths: -7n, assists: 0n, gold: huge, farm: 1n };
      await change(writer, totals("ranked/2.5/*Ana*", sums), totals("ranked/2.5/", { picks: 3 }));
      await change(writer, totals("ranked/2.5/*Ana*", { picks: 1, gold: huge, deaths: 7n }));
      const rows = (await all(reader))!.rows;
      expect(rows).toHaveLength(2);
      expect(rows.find(({ hero }) => hero !== "")).toEqual(
        totals("ranked/2.5/*Ana*", { ...sums, picks: 4, deaths: 0n, gold: 2n * huge }),
      );
      const minus = { picks: -4, wins: -1, kills: -5n, gold: -2n * huge, farm: -1n };
      await change(writer, totals("ranked/2.5/*Ana*", minus));
      expect(found(await all(reader)).keys).toEqual(["ranked/2.5/"]);
      await change(writer);
      expect(found(await all(reader)).keys).toEqual(["ranked/2.5/"]);
    },
  );

  guarantee(
    "statistics of heroes that are built again keep what pruned matches left, and are read when they are complete",
    async (store) => {
      const { writer } = store;
      const reader = await store.reader();
      const built = () =>
        writer.write(async (transaction) => (await transaction.builtUpTo()).get(HERO_STATS.name));
      const set = (last: MatchKey | undefined, version: number) =>
        writer.write(async (transaction) =>
          transaction.setBuiltUpTo({ ...HERO_STATS, derived: { version } }, last),
        );
      const { version } = HERO_STATS.derived;
      expect(await reader.unbuilt()).toEqual([]);
      expect(await built()).toBe("all");
      const pruned = totals("ranked/2.5/Bo", { picks: 1, isPruned: true });
      await change(writer, totals("ranked/2.5/Ana", { picks: 1 }), pruned);
      await writer.write(async (transaction) => transaction.clearDerived(HERO_STATS));
      expect(await all(reader)).toEqual({ rows: [pruned], isTruncated: false });

      const last = { createdAt: -5, id: "m" };
      await set(last, version);
      expect(await built()).toEqual(last);
      expect(await reader.unbuilt()).toEqual(["hero_stats"]);
      expect(async () => all(reader)).toThrow(NotReady);
      // Of another version of Matchbook.
      await set(undefined, version + 1);
      expect(async () => all(reader)).toThrow(NotReady);
      expect(await built()).toBeUndefined();
      await set(undefined, version);
      expect((await all(reader)).rows).toEqual([pruned]);
    },
  );

  guarantee("statistics of heroes are selected by modes and patches", async (store) => {
    const reader = await store.reader();
    const keys = [
      "casual/2.5/A",
      "casual/2.6/A",
      "casual//A",
      "ranked/2.5/a",
      "ranked/2.5/名",
      "Ranked/2.5/A",
    ];
    await change(store.writer, ...keys.map((key) => totals(key, { picks: 1 })));
    const of = async (...selection: [string[]?, string[]?]) =>
      found(await all(reader, ...selection)).keys;
    expect(await of()).toEqual(keys.slice(0, 5).toSorted());
    expect(await of(["ranked"])).toEqual(["ranked/2.5/a", "ranked/2.5/名"]);
    expect(await of(["ranked", "casual"], ["2.6", ""])).toEqual(["casual//A", "casual/2.6/A"]);
    expect(await of(["ranked", "casual"], ["2.5", "9"])).toEqual([
      "casual/2.5/A",
      "ranked/2.5/a",
      "ranked/2.5/名",
    ]);
    expect(await of([])).toEqual([]);
    expect(await of(["ranked"], [])).toEqual([]);
    const some = { gameModes: ["casual", "ranked"], patchVersions: undefined };
    expect(await reader.read(() => readHeroes({ ...some, limit: 4 }))).toMatchObject({
      isTruncated: true,
      rows: { length: 4 },
    });
    expect(await reader.read(() => readHeroes({ ...some, limit: 5 }))).toMatchObject({
      isTruncated: false,
      rows: { length: 5 },
    });
  });

  guarantee(
    "what pruned matches left behind is separate, and comes in order and in steps",
    async (store) => {
      const { writer } = store;
      const keys = ["casual/2.5/", "casual/2.5/A", "casual/2.5/a", "casual/2.6/", "ranked//"];
      const pruned = { isPruned: true, picks: 2 };
      await change(
        writer,
        ...keys.toReversed().map((key) => totals(key, pruned)),
        totals("casual/2.5/A", { picks: 5 }),
      );
      await writer.survey(async (state) => {
        const first = await state.rows(HERO_STATS, { after: undefined, limit: 2 });
        const rows = [...first, ...(await state.rows(HERO_STATS, { after: first[1], limit: 9 }))];
        const left = rows.filter((row) => row.is_pruned === 1);
        expect(left.map((row) => `${row.game_mode}/${row.patch_version}/${row.hero}`)).toEqual(
          keys,
        );
        expect(await heroTotals(state, false)).toEqual([totals("casual/2.5/A", { picks: 5 })]);
      });
      const rows = (await all(await store.reader()))!.rows;
      expect(
        rows
          .filter(({ hero }) => hero === "A")
          .map(({ isPruned, picks }) => [isPruned, picks])
          .toSorted(),
      ).toEqual([
        [false, 5],
        [true, 2],
      ]);
    },
  );
}
