/** The leaderboards page as data: its URL, the requests it sends, and values as text. */

import { describe, expect, test } from "bun:test";
import {
  BOARDS,
  hasPeriods,
  periodOf,
  searchOf,
  valueText,
} from "../../src/portal/views/leaderboards/boards.ts";

describe("the URL of a leaderboard", () => {
  test("holds the period of boards that have periods, and the player looked for", () => {
    for (const board of BOARDS) {
      const search = searchOf(board, "28d", "player-1");
      expect(search.get("player")).toBe("player-1");
      expect(periodOf(board, search)).toBe(hasPeriods(board) ? "28d" : "all");
      expect(searchOf(board, "all").toString()).toBe("");
      expect(periodOf(board, new URLSearchParams("period=7d"))).toBe("all");
    }
  });
});

test("values are readable", () => {
  expect(valueText("win-rate", 0.7143)).toBe("71.4%");
  expect(valueText("win-rate", 1)).toBe("100.0%");
  expect(valueText("ranked-wins", 1234)).toBe("1,234");
  expect(valueText("win-streak", 1)).toBe("1 win");
  expect(valueText("skill-tier", 29)).toBe("Tier 29");
});
