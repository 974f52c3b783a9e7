/** In charge of what the conformance suite asks of counters: evidence, vocabulary and the counts. */

import { expect } from "bun:test";
import { addPlainly, anEntry, serve, withheld } from "./entries.ts";
import type { Guarantee } from "./suite.ts";

export function countingGuarantees(guarantee: Guarantee): void {
  guarantee(
    "evidence of ranked players adds up, and is deleted when it reaches zero",
    async ({ writer }) => {
      const change = (changes: Record<string, number>) =>
        writer.write(async (transaction) => {
          await transaction.changeRankedEvidence(new Map(Object.entries(changes)));
          return Object.fromEntries(await transaction.rankedEvidence(["p", "q", "nobody"]));
        });
      expect(await change({ p: 2, q: 1 })).toEqual({ p: 2, q: 1 });
      expect(await change({ p: 3, q: -1 })).toEqual({ p: 5 });
      expect(await change({ p: -4, q: 2 })).toEqual({ p: 1, q: 2 });
      expect(await change({ p: -1, q: -2 })).toEqual({});
      expect(await change({ p: 1 })).toEqual({ p: 1 });
      expect(await writer.rankedEvidence(["q", "p", "P"])).toEqual(new Map([["p", 1]]));
      expect(await writer.rankedEvidence([])).toEqual(new Map());
    },
  );

  guarantee("a word stays in the vocabulary as long as a record contains it", async (store) => {
    const reader = await store.reader();
    const words = async () => {
      const { includePaths, types } = await reader.vocabulary();
      return { paths: [...includePaths].sort(), types: [...types].sort() };
    };
    const change = (changes: Record<string, number>) =>
      store.writer.write(async (transaction) => {
        await transaction.changeVocabulary(new Map(Object.entries(changes)));
      });
    await change({ "path:assets": 2, "type:asset": 1, "path:rounds.events": 1 });
    expect(await words()).toEqual({ paths: ["assets", "rounds.events"], types: ["asset"] });
    await change({ "path:assets": -1, "type:asset": 3, "type:path:odd": 1 });
    expect(await words()).toEqual({
      paths: ["assets", "rounds.events"],
      types: ["asset", "path:odd"],
    });
    await change({ "path:assets": -1, "type:asset": -4, "path:rounds.events": -1 });
    expect(await words()).toEqual({ paths: [], types: ["path:odd"] });
  });

  guarantee("the counts of an empty shard are zero", async ({ writer }) => {
    expect(await writer.counts()).toEqual({
      served: 0,
      withheld: { "game-mode": 0, ending: 0, "no-ranked-player": 0 },
      players: 0,
      teams: 0,
      newestMatch: undefined,
      bytes: expect.any(Number),
    });
  });

  guarantee(
    "the counts count served and withheld records apart, and everybody once",
    async ({ writer }) => {
      const going = anEntry("m3", { createdAt: 9, players: { q: "won", r: "named" } });
      await serve(
        writer,
        anEntry("m1", { createdAt: 3, players: { p: "won", q: "lost" }, teams: { t: true } }),
        anEntry("m2", { createdAt: 7, players: { p: "won" }, teams: { t: true, u: false } }),
        going,
      );
      await writer.write(async (transaction) => {
        await transaction.addWithheld([
          withheld("w1", "ending", { createdAt: 99 }),
          withheld("w2", "ending"),
          withheld("w3", "no-ranked-player"),
        ]);
      });
      const { bytes, ...counts } = await writer.counts();
      expect(bytes).toBeGreaterThan(0);
      expect(counts).toEqual({
        served: 3,
        withheld: { "game-mode": 0, ending: 2, "no-ranked-player": 1 },
        players: 3,
        teams: 2,
        newestMatch: 9,
      });
      await writer.write(async (transaction) => {
        await transaction.removeServed([going]);
        await transaction.removePlayers(["r"]);
        await transaction.removeWithheld(["w2", "w3", "nobody"]);
        await addPlainly(transaction, [anEntry("w2", { createdAt: 8 })]);
      });
      expect(await writer.counts()).toMatchObject({
        served: 3,
        withheld: { "game-mode": 0, ending: 1, "no-ranked-player": 0 },
        players: 2,
        teams: 2,
        newestMatch: 8,
      });
    },
  );
}
