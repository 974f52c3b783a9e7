/** In charge of the portal's player view as pure data: appearances, form, streaks, points of the plot. */

import { describe, expect, test } from "bun:test";
import type { MatchRecord } from "../../src/portal/views/match/record.ts";
import { type Appearance, appearanceOf } from "../../src/portal/views/player/appearance.ts";
import { streakInWords, tallies } from "../../src/portal/views/player/form.ts";
import { type LoadedMatches, loadUntil, type Step } from "../../src/portal/views/player/paging.ts";
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

const appearance = (wishes: Partial<Appearance>): Appearance => ({
  ...appearanceOf(match(true, false), "ada")!,
  ...wishes,
});

describe("the streak in words", () => {
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

describe("what recent matches add up to", () => {
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

  test("is counted by name, the most played first", () => {
    expect(tallies(recent, ({ hero }) => hero)).toEqual([
      { name: "Ivo", played: 2, won: 1, winRate: 1 },
      { name: "Lumora", played: 1, won: 0, winRate: 0 },
    ]);
    expect(tallies([], ({ hero }) => hero)).toEqual([]);
  });

  test("has no win rate where no match had a winner", () => {
    expect(tallies([recent[2]!], ({ hero }) => hero)[0]!.winRate).toBeUndefined();
  });

  test("is plotted from the oldest to the newest, with gaps for what is not said", () => {
    expect(pointsOf(recent)).toEqual({
      xs: [1, 2, 3],
      gold: [10, null, 30],
      farm: [1, 2, 3],
      times: ["2026-03-01", "2026-03-02", "2026-03-03"],
    });
  });
});

describe("the walk back through matches", () => {
  /** Pages of two matches each; a page may fail the first time it is asked for. */
  function pages(count: number, failing?: number): { first: Step; asked: number[] } {
    const asked: number[] = [];
    const failed = new Set<number>();
    const step =
      (at: number): Step =>
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

  test("tells of every page, and ends with the one that makes enough", async () => {
    const { first, asked } = pages(9);
    const told: LoadedMatches[] = [];
    await loadUntil({ appearances: [], next: first }, 3, never, (now) => told.push(now));
    expect(told.map(idsOf)).toEqual([
      ["0a", "0b"],
      ["0a", "0b", "1a", "1b"],
    ]);
    await loadUntil(told.at(-1)!, 6, never, (now) => told.push(now));
    expect(idsOf(told.at(-1)!)).toEqual(["0a", "0b", "1a", "1b", "2a", "2b"]);
    expect(asked).toEqual([0, 1, 2]);
  });

  test("keeps what it has when a page fails, and goes on with that page", async () => {
    const { first, asked } = pages(3, 1);
    let last: LoadedMatches = { appearances: [], next: first };
    const tell = (now: LoadedMatches) => {
      last = now;
    };
    await expect(loadUntil(last, 6, never, tell)).rejects.toThrow("limit reached");
    await loadUntil(last, 6, never, tell);
    expect(asked).toEqual([0, 1, 1, 2]);
    expect(idsOf(last)).toEqual(["0a", "0b", "1a", "1b", "2a", "2b"]);
  });

  test("tells nothing after it was given up", async () => {
    const control = new AbortController();
    const told: LoadedMatches[] = [];
    const { first } = pages(3);
    const walking = loadUntil({ appearances: [], next: first }, 6, control.signal, (now) => {
      told.push(now);
      control.abort();
    });
    await walking;
    expect(told.length).toBe(1);
  });
});
