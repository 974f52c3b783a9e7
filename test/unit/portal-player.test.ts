/** The portal's player page as data: appearances, form, streaks and plot points. */

import { describe, expect, test } from "bun:test";
import type { MatchRecord } from "../../src/portal/views/match/record.ts";
import { type Appearance, appearanceOf } from "../../src/portal/views/player/appearance.ts";
import { streakInWords, tallies } from "../../src/portal/views/player/form.ts";
import {
  type FetchPage,
  type LoadedMatches,
  loadUntil,
} from "../../src/portal/views/player/paging.ts";
import { pointsOf } from "../../src/portal/views/player/series.ts";

const side = (won: boolean, id: string, stats = {}) => ({
  id: `roster-${id}`,
  won,
  stats: {},
  participants: [{ id: `participant-${id}`, actor: "*Hero009*", stats, player: { id, name: id } }],
});

const match = (ada: boolean, bo: boolean, stats = {}): MatchRecord => ({
  id: "match-1",
  createdAt: "2026-03-01T18:30:00Z",
  duration: 600,
  gameMode: "casual_aral",
  patchVersion: "2.5",
  stats: {},
  rosters: [side(bo, "bo"), side(ada, "ada", stats)],
});

const appearance = (changes: Partial<Appearance>): Appearance => ({
  ...appearanceOf(match(true, false), "ada")!,
  ...changes,
});

describe("the streak as text", () => {
  test.each([
    [{ winStreak: 4, lossStreak: 0 }, "4 wins in a row"],
    [{ winStreak: 0, lossStreak: 2 }, "2 losses in a row"],
    [{ winStreak: 1, lossStreak: 0 }, "Won the last match"],
    [{ winStreak: 0, lossStreak: 1 }, "Lost the last match"],
    [{ winStreak: 0, lossStreak: 0 }, "No streak"],
    [{ winStreak: 1, lossStreak: 3 }, "1 win, 3 losses"],
    [{ winStreak: "many" }, "No streak"],
    [{}, "No streak"],
  ])("%p", (stats, words) => expect(streakInWords(stats)).toBe(words));
});

describe("the summary of recent matches", () => {
  const recent = [
    appearance({ hero: "Ivo", outcome: "won", gold: 30, farm: 3, createdAt: "2026-03-03" }),
    appearance({
      hero: "Lumora",
      outcome: "lost",
      gold: undefined,
      farm: 2,
      createdAt: "2026-03-02",
    }),
    appearance({ hero: "Ivo", outcome: "undecided", gold: 10, farm: 1, createdAt: "2026-03-01" }),
  ];

  test("counts by name, most played first", () => {
    expect(tallies(recent, ({ hero }) => hero)).toEqual([
      { name: "Ivo", played: 2, won: 1, winRate: 1 },
      { name: "Lumora", played: 1, won: 0, winRate: 0 },
    ]);
    expect(tallies([], ({ hero }) => hero)).toEqual([]);
  });

  test("has no win rate if no match had a winner", () => {
    expect(tallies([recent[2]!], ({ hero }) => hero)[0]!.winRate).toBeUndefined();
  });

  test("is plotted oldest first, with gaps for missing values", () => {
    expect(pointsOf(recent)).toEqual({
      xs: [1, 2, 3],
      gold: [10, null, 30],
      farm: [1, 2, 3],
      times: ["2026-03-01", "2026-03-02", "2026-03-03"],
    });
  });
});

describe("loading matches page by page", () => {
  /** Pages of two matches each; a page may fail on the first request. */
  function pages(count: number, failing?: number): { first: FetchPage; asked: number[] } {
    const asked: number[] = [];
    const failed = new Set<number>();
    const step =
      (at: number): FetchPage =>
      async () => {
        asked.push(at);
        if (at === failing && !failed.has(at)) {
          failed.add(at);
          throw new Error("limit reached");
        }
        const appearances = [appearance({ matchId: `${at}a` }), appearance({ matchId: `${at}b` })];
        return { appearances, next: at + 1 < count ? step(at + 1) : undefined };
      };
    return { first: step(0), asked };
  }

  const idsOf = (loaded: LoadedMatches) => loaded.appearances.map(({ matchId }) => matchId);
  const never = new AbortController().signal;

  test("reports every page, and stops when there are enough matches", async () => {
    const { first, asked } = pages(9);
    const reported: LoadedMatches[] = [];
    await loadUntil({ appearances: [], next: first }, 3, never, (now) => reported.push(now));
    expect(reported.map(idsOf)).toEqual([
      ["0a", "0b"],
      ["0a", "0b", "1a", "1b"],
    ]);
    await loadUntil(reported.at(-1)!, 6, never, (now) => reported.push(now));
    expect(idsOf(reported.at(-1)!)).toEqual(["0a", "0b", "1a", "1b", "2a", "2b"]);
    expect(asked).toEqual([0, 1, 2]);
  });

  test("keeps the loaded matches when a page fails, and continues with that page", async () => {
    const { first, asked } = pages(3, 1);
    let last: LoadedMatches = { appearances: [], next: first };
    const report = (now: LoadedMatches) => {
      last = now;
    };
    await expect(loadUntil(last, 6, never, report)).rejects.toThrow("limit reached");
    await loadUntil(last, 6, never, report);
    expect(asked).toEqual([0, 1, 1, 2]);
    expect(idsOf(last)).toEqual(["0a", "0b", "1a", "1b", "2a", "2b"]);
  });

  test("reports nothing after it is aborted", async () => {
    const control = new AbortController();
    const reported: LoadedMatches[] = [];
    const { first } = pages(3);
    const loading = loadUntil({ appearances: [], next: first }, 6, control.signal, (now) => {
      reported.push(now);
      control.abort();
    });
    await loading;
    expect(reported.length).toBe(1);
  });
});
