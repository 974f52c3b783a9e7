/** What verify adds up over all records is the same whether it fits into memory or not. */

import { expect, test } from "bun:test";
import type { Outline } from "../../src/ingest/prepare.ts";
import { Expected } from "../../src/verify/expected.ts";

const PLAYERS = ["a", "B", "b", "c-1", "_"];

const outlines = Array.from({ length: 40 }, (_, at): Outline => {
  const player = (offset: number) => PLAYERS[(at * 3 + offset) % PLAYERS.length]!;
  return {
    id: `m${at}`,
    shard: "na",
    createdAt: at,
    gameMode: at % 2 === 0 ? "ranked" : "casual",
    patchVersion: "1",
    endGameReason: "victory",
    players: [
      { id: player(0), part: { won: at % 3 === 0, gold: 10n ** 18n + BigInt(at) } },
      { id: player(1), part: undefined },
    ],
    teams: [],
    shownRanked: [player(0)],
    words: at % 5 === 0 ? ["type:asset"] : [],
    actors: [],
  };
});

function sumsOf(maxInMemory: number) {
  const expected = new Expected(maxInMemory);
  for (const outline of outlines) {
    expected.addRecord(outline, [[outline.players[0]!.id, outline.id]]);
    expected.addServed([outline]);
  }
  const sums = {
    standings: expected.standings.page("", 100),
    evidence: [...expected.evidence.page("", 2), ...expected.evidence.page("_", 100)],
    words: [...expected.words],
    dependents: PLAYERS.map((id) => expected.hasDependent([id, "m7"])),
  };
  expected.close();
  return sums;
}

test("sums that are spilled to disk are those in memory", () => {
  const inMemory = sumsOf(1000);
  expect(sumsOf(1)).toEqual(inMemory);
  expect(sumsOf(2)).toEqual(inMemory);
  expect(inMemory.standings.map(([id]) => id)).toEqual(["B", "_", "a", "b", "c-1"]);
  const [, { totals, latest }] = inMemory.standings.find(([id]) => id === "a")!;
  expect(totals.gold).toBeGreaterThan(8n * 10n ** 18n - 1n);
  expect(latest).toEqual({ createdAt: 38, matchId: "m38" });
  expect(inMemory.words).toEqual([["type:asset", 8]]);
});
