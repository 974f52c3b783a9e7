/** Conformance: counters for evidence and vocabulary. The counts are in summaries.ts. */

import { expect } from "bun:test";
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
}
