/** Conformance: the primitives that player and team records are computed from. */

import { expect } from "bun:test";
import type { HistoryEntry } from "../../src/store/store.ts";
import { addPlainly, anEntry, aPlayer, people, serve } from "./entries.ts";
import type { Guarantee, TestStore } from "./suite.ts";

const historyOf = ({ writer }: TestStore, id: string, limit: number): Promise<HistoryEntry[]> =>
  writer.write(async (transaction) => transaction.playerHistory(id, limit));

export function foldingGuarantees(guarantee: Guarantee): void {
  guarantee(
    "a history lists the newest matches first, including mentions, up to the limit",
    async (store) => {
      await serve(
        store.writer,
        anEntry("b", { createdAt: 2, players: { p: "won", other: "lost" } }),
        anEntry("a", { createdAt: 2, players: { p: "lost" } }),
        anEntry("B", { createdAt: 2, players: { p: "named" } }),
        anEntry("z", { createdAt: -1, players: { p: "won" } }),
        anEntry("c", { createdAt: 3, players: { other: "won" } }),
        anEntry("d", { createdAt: 4, players: { p: "named" } }),
      );
      const all: HistoryEntry[] = [
        { createdAt: 4, matchId: "d", result: "named" },
        { createdAt: 2, matchId: "b", result: "won" },
        { createdAt: 2, matchId: "a", result: "lost" },
        { createdAt: 2, matchId: "B", result: "named" },
        { createdAt: -1, matchId: "z", result: "won" },
      ];
      for (const limit of [1, 2, 4, 5, 100]) {
        expect(await historyOf(store, "p", limit)).toEqual(all.slice(0, limit));
      }
      expect(await historyOf(store, "nobody", 9)).toEqual([]);
    },
  );

  guarantee("a late match takes its place in the history", async (store) => {
    await serve(store.writer, anEntry("new", { createdAt: 9, players: { p: "won" } }));
    await serve(store.writer, anEntry("late", { createdAt: 1, players: { p: "lost" } }));
    await serve(store.writer, anEntry("between", { createdAt: 5, players: { p: "lost" } }));
    expect((await historyOf(store, "p", 9)).map(({ matchId }) => matchId)).toEqual([
      "new",
      "between",
      "late",
    ]);
  });

  guarantee("the latest match of a team may be one that only mentions it", async (store) => {
    await serve(
      store.writer,
      anEntry("a", { createdAt: 5, teams: { t: true, u: true } }),
      anEntry("b", { createdAt: 5, teams: { t: false } }),
      anEntry("c", { createdAt: 1, teams: { t: true } }),
    );
    await store.writer.write(async (transaction) => {
      expect(await transaction.latestOfTeam("t")).toBe("b");
      expect(await transaction.latestOfTeam("u")).toBe("a");
      expect(await transaction.latestOfTeam("T")).toBeUndefined();
    });
  });

  guarantee(
    "standings are returned as stored, with gold of any size, and none for unknown players",
    async (store) => {
      const golds = [0n, 1n, -1n, 2n ** 53n + 1n, 2n ** 64n, 10n ** 40n + 7n, -(10n ** 30n)];
      const rows = golds.map((gold, index) =>
        aPlayer(`p${index}`, {
          totals: {
            played: 2_000_000_000 + index,
            wins: index,
            playedRanked: 3 * index,
            rankedWins: 2 * index,
            gold,
          },
          run: 3 - index,
          latest: { createdAt: 10 ** index, matchId: `m${index}` },
        }),
      );
      await people(store.writer, { players: rows });
      await store.writer.write(async (transaction) => {
        const standings = await transaction.standings(["nobody", ...rows.map(({ id }) => id)]);
        expect(standings).toEqual(
          new Map(rows.map(({ id, totals, run, latest }) => [id, { totals, run, latest }])),
        );
      });
    },
  );

  guarantee("a new player has no standing until it is stored", async ({ writer }) => {
    await writer.write(async (transaction) => {
      await transaction.addServed([anEntry("m", { players: { p: "won" } })]);
      expect(await transaction.standings(["p"])).toEqual(new Map());
      await transaction.putPlayers([aPlayer("p")]);
    });
  });

  guarantee("a removed player or team can be added again", async (store) => {
    const { writer } = store;
    const entry = anEntry("m", { players: { p: "won" }, teams: { t: true } });
    for (let round = 0; round < 2; round++) {
      await writer.write(async (transaction) => {
        await addPlainly(transaction, [entry]);
        await transaction.putPlayers([
          aPlayer("p", {
            totals: { played: 1, wins: 1, playedRanked: 1, rankedWins: 0, gold: 5n },
          }),
        ]);
      });
      const reader = await store.reader();
      expect(await reader.players(["p"])).toHaveLength(1);
      expect(await reader.teamIdsNamed(["tag of t"])).toEqual(["t"]);
      await writer.write(async (transaction) => {
        await transaction.removeServed([entry]);
        await transaction.removePlayers(["p", "nobody"]);
        await transaction.removeTeams(["t", "nobody"]);
        expect(await transaction.standings(["p"])).toEqual(new Map());
        expect(await transaction.playerHistory("p", 9)).toEqual([]);
      });
      expect(await reader.players(["p"])).toEqual([]);
      expect(await reader.playersNamed(["name of p"], 9)).toEqual([]);
      expect(await reader.recentPlayers(9)).toEqual([]);
      expect(await reader.teamIdsNamed(["tag of t"])).toEqual([]);
    }
  });

  guarantee("each dependent match is found once, under any of its players", async ({ writer }) => {
    await writer.write(async (transaction) => {
      await transaction.addDependents([
        ["p", "m1"],
        ["q", "m1"],
        ["p", "m2"],
        ["r", "m3"],
        ["P", "m4"],
      ]);
    });
    await writer.write(async (transaction) => {
      const found = async (...ids: string[]) => (await transaction.dependents(ids)).sort();
      expect(await found("p")).toEqual(["m1", "m2"]);
      expect(await found("p", "q", "r", "nobody")).toEqual(["m1", "m2", "m3"]);
      await transaction.removeDependents([
        ["p", "m1"],
        ["r", "m3"],
        ["nobody", "m3"],
      ]);
      expect(await found("p")).toEqual(["m2"]);
      expect(await found("q")).toEqual(["m1"]);
      expect(await found("r")).toEqual([]);
    });
  });
}
