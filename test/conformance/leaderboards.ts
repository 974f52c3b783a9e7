/** Conformance: leaderboards, and the counts that they are read from. */

import { expect } from "bun:test";
import fc from "fast-check";
import { rankedBetween } from "../../src/features/leaderboards/ranked-matches.ts";
import type { Board, Period } from "../../src/features/leaderboards/ranking.ts";
import {
  type BoardEntry,
  type BoardQuery,
  changeRecent,
  clearRecent,
  readBoard,
} from "../../src/features/leaderboards/stored.ts";
import type { PlayerRow, Reader, Writer } from "../../src/store/store.ts";
import { costly } from "../support/scale.ts";
import { anEntry, aPlayer, people, serve } from "./entries.ts";
import type { Guarantee } from "./suite.ts";

/** Any order of these ids is that of their bytes. */
const IDS = ["-a", "0", "A", "P1", "Z", "_", "a", "a-", "a0", "p1", "p10", "zz"];

const DAY = 86_400_000;

/** Limits and depths. */
const PAGES = [
  [1, 100],
  [3, 100],
  [2, 3],
  [4, 2],
] as const;

interface Scores {
  tier: number | undefined;
  run: number;
  played: number;
  wins: number;
  recent: { played: number; wins: number };
}

const tally = fc
  .tuple(fc.constantFrom(0, 1, 2, 19, 20, 21, 40), fc.nat(100))
  .map(([played, share]) => ({ played, wins: Math.floor((played * share) / 100) }));

const scores: fc.Arbitrary<Scores> = fc
  .record({
    tier: fc.constantFrom(undefined, 0, 1, 7, 7, 30, 2 ** 40),
    run: fc.integer({ min: -2, max: 3 }),
    all: tally,
    recent: tally,
  })
  .map(({ tier, run, all, recent }) => ({ tier, run, ...all, recent }));

const rate = ({ played, wins }: { played: number; wins: number }) =>
  played < 20 ? undefined : Math.floor((wins * 1_000_000) / played);
const positive = (value: number) => (value > 0 ? value : undefined);

const MODEL: Record<string, (one: Scores) => number | undefined> = {
  "skill-tier all": ({ tier }) => tier,
  "ranked-wins all": ({ wins }) => positive(wins),
  "win-rate all": (one) => rate(one),
  "win-streak all": ({ run }) => positive(run),
  "ranked-wins 28d": ({ recent }) => positive(recent.wins),
  "win-rate 28d": ({ recent }) => rate(recent),
};

type Listed = Omit<BoardEntry, "rank"> & { rank: number };

function modelled(key: string, players: ReadonlyMap<string, Scores>): Listed[] {
  const period = key.split(" ")[1];
  const found = [...players].flatMap(([id, one]) => {
    const score = MODEL[key]!(one);
    const { played } = period === "28d" ? one.recent : one;
    return score === undefined ? [] : [{ id, name: `name of ${id}`, score, played }];
  });
  return found
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .map((one) => ({ ...one, rank: 1 + found.filter(({ score }) => score > one.score).length }));
}

const rowOf = (id: string, { tier, run, played, wins }: Scores): PlayerRow =>
  aPlayer(id, {
    run,
    skillTier: tier,
    totals: { played, wins, playedRanked: played, rankedWins: wins, gold: 0n },
  });

async function put(writer: Writer, players: ReadonlyMap<string, Scores>): Promise<void> {
  await people(writer, { players: [...players].map(([id, one]) => rowOf(id, one)) });
  await writer.write(async (transaction) => {
    const recent = [...players].filter(([, one]) => one.recent.played > 0);
    await transaction.run(() => changeRecent(new Map(recent.map(([id, one]) => [id, one.recent]))));
  });
}

async function pages(
  reader: Reader,
  query: Omit<BoardQuery, "part">,
  limit: number,
): Promise<BoardEntry[]> {
  const all: BoardEntry[] = [];
  for (;;) {
    const last = all.at(-1);
    const after = last && { score: last.score, id: last.id };
    const part = await reader.read(() => readBoard({ ...query, part: { after, limit } }));
    expect(part.entries.length).toBeLessThanOrEqual(limit);
    all.push(...part.entries);
    if (!part.hasMore) return all;
    expect(part.entries).toHaveLength(limit);
  }
}

export function boardGuarantees(guarantee: Guarantee): void {
  guarantee(
    "pages of every board list each player once, the best first, with ranks, down to the depth",
    async (store) => {
      const reader = await store.reader();
      const isRight = fc.asyncProperty(
        fc.uniqueArray(fc.tuple(fc.constantFrom(...IDS), scores), {
          selector: ([id]) => id,
          size: "max",
          maxLength: IDS.length,
        }),
        async (given) => {
          const players = new Map(given);
          await clear(store.writer);
          if (players.size > 0) await put(store.writer, players);
          for (const key of Object.keys(MODEL)) {
            const [board, period] = key.split(" ") as [Board, Period];
            const expected = modelled(key, players);
            for (const [limit, depth] of PAGES) {
              const query = { board, period, depth };
              expect(await pages(reader, query, limit)).toEqual(expected.slice(0, depth));
            }
            const query = { board, period, depth: 3, part: { playerIds: ["nobody", ...IDS] } };
            expect((await reader.read(() => readBoard(query))).entries).toEqual(
              expected.map((one) => ({ ...one, rank: one.rank <= 3 ? one.rank : undefined })),
            );
          }
        },
      );
      await fc.assert(isRight, { numRuns: costly(16) });
    },
  );

  guarantee("ranked matches are counted by player and time; mentions are not", async (store) => {
    const { writer } = store;
    await serve(
      writer,
      anEntry("a", { createdAt: -DAY, players: { p: "won", q: "lost", r: "named" } }),
      anEntry("b", { createdAt: 0, players: { p: "lost", r: "won" } }),
      anEntry("c", { createdAt: 0, mode: "casual", players: { p: "won" } }),
      anEntry("d", { createdAt: DAY, players: { q: "won", p: "won" } }),
    );
    await writer.write(async (transaction) => {
      expect(await transaction.newestServed()).toBe(DAY);
      const all = new Map([
        ["p", { played: 3, wins: 2 }],
        ["q", { played: 2, wins: 1 }],
        ["r", { played: 1, wins: 1 }],
      ]);
      expect(await transaction.run(() => rankedBetween(-DAY, DAY))).toEqual(all);
      const early = new Map([
        ["p", { played: 1, wins: 1 }],
        ["q", { played: 1, wins: 0 }],
      ]);
      expect(await transaction.run(() => rankedBetween(-DAY, -1))).toEqual(early);
      expect(await transaction.run(() => rankedBetween(1, DAY - 1))).toEqual(new Map());
    });
  });
}

async function clear(writer: Writer): Promise<void> {
  await writer.write(async (transaction) => {
    await transaction.run(clearRecent);
    for (const { match } of await transaction.records(undefined, 10)) {
      const players = IDS.map((id) => ({ id, result: "won" as const }));
      const there = new Set((await transaction.standings(IDS)).keys());
      await transaction.removeServed([
        { ...match, players: players.filter(({ id }) => there.has(id)), teams: [] },
      ]);
    }
    await transaction.removePlayers(IDS);
  });
}
