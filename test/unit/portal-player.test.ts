/** The portal's player view as pure data: form, streaks, points of the plot. */

import { describe, expect, test } from "bun:test";
import type { MatchRecord } from "../../src/portal/views/match/record.ts";
import { type Appearance, appearanceOf } from "../../src/portal/views/player/appearance.ts";
import { streakInWords, tallies } from "../../src/portal/views/player/form.ts";
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
