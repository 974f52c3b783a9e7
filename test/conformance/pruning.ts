/** Conformance: the prune cutoff, and what pruned records leave behind. */

import { expect } from "bun:test";
import type { PlayerBase } from "../../src/store/store.ts";
import { PLAYER_BASE } from "../../src/store/tables.ts";
import { anEntry, bytes, idsOf, selection, serve, text, withheld } from "./entries.ts";
import type { Guarantee, TestStore } from "./suite.ts";

const setCutoff = ({ writer }: TestStore, time: number): Promise<void> =>
  writer.write(async (transaction) => transaction.setPrunedBefore(time));

export function pruningGuarantees(guarantee: Guarantee): void {
  guarantee("a shard has no cutoff until it is set", async (store) => {
    const { writer } = store;
    expect(await writer.prunedBefore()).toBeUndefined();
    for (const time of [-5, 0, 1_700_000_000_123]) {
      await setCutoff(store, time);
      expect(await writer.prunedBefore()).toBe(time);
      expect(await writer.write(async (transaction) => transaction.prunedBefore())).toBe(time);
    }
  });

  guarantee(
    "readers return no match from before the cutoff as soon as it is set",
    async (store) => {
      const reader = await store.reader();
      const times = { a: 1, b: 2, c: 3, d: 4 };
      const entries = Object.entries(times).map(([id, createdAt]) =>
        anEntry(id, { createdAt, players: { p: "won" }, teams: { t: true } }),
      );
      await serve(store.writer, ...entries);
      expect(idsOf(await reader.matches(selection()))).toEqual(["a", "b", "c", "d"]);
      await setCutoff(store, 3);
      for (const one of [reader, await store.reader()]) {
        expect(await one.match("b")).toBeUndefined();
        expect(idsOf((await one.match("c"))!)).toEqual(["c"]);
        const filters = [{}, { players: [["p"]] }, { teams: [["t"]] }, { gameModes: ["ranked"] }];
        for (const filter of filters) {
          const page = await one.matches(selection({ ...filter, sort: "-createdAt", limit: 2 }));
          expect([idsOf(page), page.more]).toEqual([["d", "c"], { before: false, after: false }]);
        }
        const before = { from: "before", gap: { createdAt: 3, id: "c", side: "before" } } as const;
        const page = await one.matches(selection({ pageStart: before }));
        expect([idsOf(page), page.more]).toEqual([[], { before: false, after: true }]);
        expect((await one.players(["p"])).map(({ id }) => id)).toEqual(["p"]);
      }
      await setCutoff(store, 5);
      expect(idsOf(await reader.matches(selection()))).toEqual([]);
      expect((await reader.summary()).newestMatch).toBeUndefined();
    },
  );

  guarantee("older records come served ones first, in order, up to the limit", async (store) => {
    const { writer } = store;
    await serve(
      writer,
      anEntry("late", { createdAt: 7 }),
      anEntry("b", { createdAt: 2 }),
      anEntry("a", { createdAt: 2 }),
      anEntry("z", { createdAt: -1 }),
    );
    await writer.write(async (transaction) =>
      transaction.addWithheld([
        withheld("w", "ending", { createdAt: 1 }),
        withheld("late-too", "ending", { createdAt: 7 }),
      ]),
    );
    const older = async (before: number, limit: number) => {
      const found = await writer.write(async (transaction) => transaction.older(before, limit));
      return found.map(({ match }) => match.id);
    };
    expect(await older(7, 9)).toEqual(["z", "a", "b", "w"]);
    expect(await older(7, 3)).toEqual(["z", "a", "b"]);
    expect(await older(2, 9)).toEqual(["z", "w"]);
    expect(await older(-1, 9)).toEqual([]);
    expect(await writer.countOlder(7)).toEqual({ served: 3, withheld: 1 });
    expect(await writer.countOlder(-1)).toEqual({ served: 0, withheld: 0 });
  });

  guarantee("bases are returned as stored, by id and in steps", async ({ writer }) => {
    const base = (id: string, played: number): PlayerBase => ({
      id,
      rankedEvidence: played,
      standing: {
        totals: { played, wins: 1, playedRanked: 2, rankedWins: 0, gold: -(10n ** 30n) },
        run: -3,
        latest: { createdAt: -7, matchId: "m" },
        snapshot: bytes(`snapshot of ${id}`),
      },
    });
    const evidence: PlayerBase = { id: "q", rankedEvidence: 2, standing: undefined };
    await writer.write(async (transaction) => {
      await transaction.putBases([]);
      await transaction.putBases([base("p", 1), evidence, base("P", 5)]);
    });
    await writer.write(async (transaction) => transaction.putBases([base("p", 2)]));
    await writer.write(async (transaction) => {
      const found = await transaction.basesOf(["q", "p", "nobody"]);
      expect(found.size).toBe(2);
      expect(found.get("q")).toEqual(evidence);
      const { standing, ...rest } = found.get("p")!;
      const { standing: stored, ...restStored } = base("p", 2);
      expect(rest).toEqual(restStored);
      expect({ ...standing!, snapshot: text(standing!.snapshot) }).toEqual({
        ...stored!,
        snapshot: "snapshot of p",
      });
      const rows = await transaction.rows(PLAYER_BASE, { after: undefined, limit: 2 });
      expect(rows.map(({ id }) => id)).toEqual(["P", "p"]);
      const after = await transaction.rows(PLAYER_BASE, { after: rows[1], limit: 2 });
      expect(after.map(({ id }) => id)).toEqual(["q"]);
    });
  });
}
