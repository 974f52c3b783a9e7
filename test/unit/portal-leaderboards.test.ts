/** The leaderboards page as data: its URL, the requests it sends, and values as text. */

import { expect, test } from "bun:test";
import { valueText } from "../../src/portal/views/leaderboards/boards.ts";

test("values are readable", () => {
  expect(valueText("win-rate", 0.7143)).toBe("71.4%");
  expect(valueText("win-rate", 1)).toBe("100.0%");
  expect(valueText("ranked-wins", 1234)).toBe("1,234");
  expect(valueText("win-streak", 1)).toBe("1 win");
  expect(valueText("skill-tier", 29)).toBe("Tier 29");
});
