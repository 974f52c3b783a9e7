/** The portal's player page as data: results, streaks, days and the chart. */

import { describe, expect, test } from "bun:test";
import { type Appearance, appearanceOf, matchOf } from "../../src/portal/match.ts";
import { byDay } from "../../src/portal/views/player/days.ts";
import {
  resultsInWords,
  resultsOf,
  streakIn,
  tallies,
} from "../../src/portal/views/player/form.ts";
import { trendOf } from "../../src/portal/views/player/trend.ts";
import { readable } from "../support/readable.ts";

const side = (won: boolean, id: string) =>
  readable(
    `roster-${id}`,
    { won: String(won), stats: {} },
    {
      participants: [
        readable(`participant-${id}`, { stats: {} }, { player: [readable(id, { name: id })] }),
      ],
    },
  );

const MATCH = matchOf(
  readable(
    "match-1",
    { createdAt: "2026-03-01T18:30:00Z", duration: 600, gameMode: "casual_aral" },
    { rosters: [side(false, "bo"), side(true, "ada")] },
  ),
);

const appearance = (changes: Partial<Appearance>): Appearance => ({
  ...appearanceOf(MATCH, "ada")!,
  ...changes,
});

describe("the streak", () => {
  test.each([
    [{ winStreak: 4, lossStreak: 0 }, 4],
    [{ winStreak: 0, lossStreak: 2 }, -2],
    [{ winStreak: 0, lossStreak: 0 }, 0],
    [{ winStreak: 1, lossStreak: 3 }, 0],
    [{ winStreak: "many" }, 0],
    [{}, 0],
  ])("of %p is %d", (stats, run) => expect(streakIn(stats)).toBe(run));
});

describe("the summary of recent matches", () => {
  const recent = [
    appearance({ actor: "Ivo", outcome: "won", ratio: 3, mode: "ranked" }),
    appearance({ actor: "Lumora", outcome: "lost", ratio: undefined, mode: "casual" }),
    appearance({ actor: "Ivo", outcome: "undecided", ratio: 1, mode: "ranked" }),
  ];

  test("has no win rate if no match had a winner", () => {
    expect(tallies([recent[2]!], ({ actor }) => actor)[0]!.winRate).toBeUndefined();
  });

  test("names matches without a winner", () => {
    expect(resultsInWords(resultsOf(recent))).toBe("1 win, 1 loss, 1 without a winner");
  });

  test("has at most three series: the rarest modes share one", () => {
    const modes = ["ranked", "ranked", "casual", "casual", "private", "casual_aral"];
    const { series } = trendOf(
      modes.map((mode, at) => appearance({ mode, farm: at })),
      "farm",
    );
    expect(series.map(({ label }) => label)).toEqual(["Casual", "Ranked", "Other modes"]);
    expect(series[2]!.values).toEqual([5, 4, null, null, null, null]);
  });
});

describe("the days of the history", () => {
  // In the time zone of this process, as the browser does.
  const at = (day: number, hour: number, year = 2026) => new Date(year, 2, day, hour).toISOString();
  const now = new Date(2026, 2, 14, 12).getTime();

  test("are the visitor's, newest first, and named", () => {
    const matches = [at(14, 9), at(14, 0), at(13, 23), at(9, 20), at(9, 20, 2025), ""].map(
      (createdAt, index) => appearance({ createdAt, id: String(index) }),
    );
    const days = byDay(matches, now);
    expect(days.map(({ key, appearances }) => [key, appearances.length])).toEqual([
      ["2026-03-14", 2],
      ["2026-03-13", 1],
      ["2026-03-09", 1],
      ["2025-03-09", 1],
      ["unknown", 1],
    ]);
    expect(days.map(({ name }) => name).slice(0, 2)).toEqual(["Today", "Yesterday"]);
    expect(days[2]!.name).toContain("Monday");
    expect(days[3]!.name).toContain("2025");
    expect(days[4]!.name).toBe("Unknown date");
  });
});
