/** Conformance: the statistics of heroes. */

import { expect } from "bun:test";
import fc from "fast-check";
import {
  type HeroSums,
  type HeroTotals,
  NOTHING,
  ofStats,
} from "../../src/features/heroes/statistics.ts";
import { HERO_STATS, readHeroes } from "../../src/features/heroes/stored.ts";
import { unbuilt } from "../../src/store/all-tables/derived.ts";
import { type MatchKey, NotReady, type Reader } from "../../src/store/store.ts";
import { changeHeroes, heroRows } from "../support/heroes.ts";
import type { FeaturePart } from "./features.ts";
import type { Guarantee } from "./suite.ts";
import { changed, golds, some } from "./values.ts";

/** Mode, patch and hero; "pruned" for what pruned matches left. */
const HERO_KEYS = [
  ...["casual/2.5/", "casual/2.5/A", "casual/2.6/A", "casual//A", "ranked/2.5/a", "ranked/2.5/名"],
  ...["Ranked/2.5/A", "pruned casual/2.5/A", "pruned ranked//"],
];

function heroTotalsOf(key: string, sums: HeroSums): HeroTotals {
  const [game_mode, patch_version, hero] = key.replace("pruned ", "").split("/") as [
    ...[string, string, string],
  ];
  const is_pruned = key.startsWith("pruned ") ? 1 : 0;
  return { game_mode, patch_version, hero, is_pruned, ...sums };
}

/** What is to be added to the first for the second. */
const heroDifference = (from: HeroSums = NOTHING, to: HeroSums = NOTHING): HeroSums => ({
  ...{ picks: to.picks - from.picks, wins: to.wins - from.wins },
  ...ofStats((name) => to[name] - from[name]),
});

const heroSums: fc.Arbitrary<HeroSums> = fc.record({
  ...{ picks: fc.integer({ min: 1, max: 3 }), wins: fc.nat(1), ...ofStats(() => golds) },
});

const SELECTIONS: [gameModes: string[], patchVersions?: string[]][] = [
  [["casual", "ranked"]],
  [["ranked"], ["2.5", "9"]],
  [
    ["ranked", "casual"],
    ["2.6", ""],
  ],
  [["ranked"], []],
  [[]],
];

const read = (reader: Reader, limit: number, gameModes: string[], patchVersions?: string[]) =>
  reader.read(() => readHeroes({ gameModes, patchVersions, limit }));
const inAnyOrder = (rows: Iterable<HeroTotals>) =>
  new Set([...rows].map((row) => Object.entries(row).map(String).sort().join()));

export const heroes: FeaturePart<HeroTotals, HeroSums | undefined> = {
  name: "heroes",
  guarantees: heroGuarantees,
  stored: {
    wishes: some(HERO_KEYS, fc.option(heroSums, { nil: undefined })),
    after: (before, wishes) =>
      changed(
        before,
        Object.entries(wishes).map(([key, sums]) => [key, sums && heroTotalsOf(key, sums)]),
      ),
    carryOut: (transaction, before, after, wishes) =>
      changeHeroes(
        transaction,
        Object.keys(wishes).map((key) =>
          heroTotalsOf(key, heroDifference(before.get(key), after.get(key))),
        ),
      ),
  },
  /** The rows of modes and patches, up to a limit. */
  async compare(reader, { rows }, { limit }) {
    for (const [modes, patches] of SELECTIONS) {
      const expected = [...rows.values()].filter(
        ({ game_mode, patch_version }) =>
          modes.includes(game_mode) && (patches?.includes(patch_version) ?? true),
      );
      const whole = await read(reader, 100, modes, patches);
      expect([inAnyOrder(whole.rows), whole.isTruncated]).toEqual([inAnyOrder(expected), false]);
      const part = await read(reader, limit, modes, patches);
      expect([part.rows.length, part.isTruncated]).toEqual([
        ...[Math.min(limit, expected.length), expected.length > limit],
      ]);
    }
  },
  /** Those of the stored matches apart from those of pruned ones, with every row in steps. */
  async compareRows(rows, stored) {
    const found = heroRows(await stored(HERO_STATS));
    expect(found).toHaveLength(rows.size);
    expect(inAnyOrder(found)).toEqual(inAnyOrder(rows.values()));
  },
};

function heroGuarantees(guarantee: Guarantee): void {
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
      expect(await reader.read(unbuilt)).toEqual([]);
      expect(await built()).toBe("all");
      const pruned = heroTotalsOf("pruned ranked/2.5/Bo", { ...NOTHING, picks: 1 });
      const stored = heroTotalsOf("ranked/2.5/Ana", { ...NOTHING, picks: 1 });
      await writer.write(async (transaction) => changeHeroes(transaction, [stored, pruned]));
      const all = () => read(reader, 100, ["ranked"]);
      await writer.write(async (transaction) => transaction.clearDerived(HERO_STATS));
      expect(await all()).toEqual({ rows: [pruned], isTruncated: false });

      const last = { createdAt: -5, id: "m" };
      await set(last, version);
      expect(await built()).toEqual(last);
      expect(await reader.read(unbuilt)).toEqual(["hero_stats"]);
      expect(async () => all()).toThrow(NotReady);
      // Of another version of Matchbook.
      await set(undefined, version + 1);
      expect(async () => all()).toThrow(NotReady);
      expect(await built()).toBeUndefined();
      await set(undefined, version);
      expect((await all()).rows).toEqual([pruned]);
    },
  );
}
