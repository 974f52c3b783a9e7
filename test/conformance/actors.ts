/** Conformance: the statistics of actors. */

import { expect } from "bun:test";
import { type ActorTotals, NOTHING } from "../../src/domain/actors.ts";
import {
  type ActorRows,
  type MatchKey,
  NotReady,
  type Reader,
  type Writer,
} from "../../src/store/store.ts";
import { ACTOR_STATS } from "../../src/store/tables.ts";
import type { Guarantee } from "./suite.ts";

const totals = (
  key: string,
  sums: Partial<Omit<ActorTotals, "gameMode" | "patchVersion" | "actor">> = {},
): ActorTotals => {
  const [gameMode, patchVersion, actor] = key.split("/") as [string, string, string];
  return { gameMode, patchVersion, actor, isPruned: false, ...NOTHING, ...sums };
};

const change = (writer: Writer, ...changes: ActorTotals[]): Promise<void> =>
  writer.write(async (transaction) => transaction.changeActorTotals(changes));

const keyOf = ({ gameMode, patchVersion, actor }: ActorTotals) =>
  `${gameMode}/${patchVersion}/${actor}`;

/** Keys in any order. */
const found = (read: ActorRows | undefined) => ({
  keys: read?.rows.map(keyOf).toSorted(),
  isTruncated: read?.isTruncated,
});

const LIMIT = 100;
const all = (reader: Reader, gameModes = ["casual", "ranked"], patchVersions?: string[]) =>
  reader.actorStats({ gameModes, patchVersions, limit: LIMIT });

export function actorGuarantees(guarantee: Guarantee): void {
  guarantee(
    "statistics of actors add up, also beyond 64 bits, and rows of zero are deleted",
    async (store) => {
      const { writer } = store;
      const reader = await store.reader();
      const huge = 10n ** 40n;
      const sums = { picks: 3, wins: 1, kills: 5n, deaths: -7n, assists: 0n, gold: huge, farm: 1n };
      await change(writer, totals("ranked/2.5/*Ana*", sums), totals("ranked/2.5/", { picks: 3 }));
      await change(writer, totals("ranked/2.5/*Ana*", { picks: 1, gold: huge, deaths: 7n }));
      const rows = (await all(reader))!.rows;
      expect(rows).toHaveLength(2);
      expect(rows.find(({ actor }) => actor !== "")).toEqual(
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
    "statistics of actors that are built again keep what pruned matches left, and are read when they are complete",
    async (store) => {
      const { writer } = store;
      const reader = await store.reader();
      const built = () => writer.write(async (transaction) => transaction.builtUpTo());
      const set = (last: MatchKey | undefined, version: number) =>
        writer.write(async (transaction) =>
          transaction.setBuiltUpTo({ ...ACTOR_STATS, derived: { version } }, last),
        );
      const { version } = ACTOR_STATS.derived;
      expect(await reader.unbuilt()).toEqual([]);
      expect([...(await built())]).toEqual([["actor_stats", "all"]]);
      const pruned = totals("ranked/2.5/Bo", { picks: 1, isPruned: true });
      await change(writer, totals("ranked/2.5/Ana", { picks: 1 }), pruned);
      await writer.write(async (transaction) => transaction.clearDerived(ACTOR_STATS));
      expect(await all(reader)).toEqual({ rows: [pruned], isTruncated: false });

      const last = { createdAt: -5, id: "m" };
      await set(last, version);
      expect([...(await built())]).toEqual([["actor_stats", last]]);
      expect(await reader.unbuilt()).toEqual(["actor_stats"]);
      expect(async () => all(reader)).toThrow(NotReady);
      // Of another version of Matchbook.
      await set(undefined, version + 1);
      expect(async () => all(reader)).toThrow(NotReady);
      expect([...(await built())]).toEqual([]);
      await set(undefined, version);
      expect((await all(reader)).rows).toEqual([pruned]);
    },
  );

  guarantee("statistics of actors are selected by modes and patches", async (store) => {
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
    expect(await reader.actorStats({ ...some, limit: 4 })).toMatchObject({
      isTruncated: true,
      rows: { length: 4 },
    });
    expect(await reader.actorStats({ ...some, limit: 5 })).toMatchObject({
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
      await writer.write(async (transaction) => {
        const first = await transaction.actorTotals(true, undefined, 2);
        expect(first).toEqual([totals("casual/2.5/", pruned), totals("casual/2.5/A", pruned)]);
        expect((await transaction.actorTotals(true, first[1], 9)).map(keyOf)).toEqual(
          keys.slice(2),
        );
        expect(await transaction.actorTotals(false, undefined, 9)).toEqual([
          totals("casual/2.5/A", { picks: 5 }),
        ]);
        const asked = [
          totals("casual/2.5/A"),
          totals("casual/2.5/A", pruned),
          totals("casual/2.5/B"),
        ];
        expect(
          (await transaction.actorTotalsOf(asked)).map(({ picks }) => picks).toSorted(),
        ).toEqual([2, 5]);
        expect(await transaction.actorTotalsOf([])).toEqual([]);
      });
      const rows = (await all(await store.reader()))!.rows;
      expect(
        rows
          .filter(({ actor }) => actor === "A")
          .map(({ isPruned, picks }) => [isPruned, picks])
          .toSorted(),
      ).toEqual([
        [false, 5],
        [true, 2],
      ]);
    },
  );
}
