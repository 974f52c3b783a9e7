/** What the portal shows of leaderboards. */

import { expect, test } from "bun:test";
import { valueText } from "../../src/portal/views/leaderboards/boards.ts";

test("values of leaderboards have their unit", () => {
  expect(valueText("win-rate", 0.7143)).toBe("71.4%");
  expect(valueText("ranked-wins", 1234)).toBe("1,234");
  expect(valueText("win-streak", 1)).toBe("1 win");
  expect(valueText("skill-tier", 29)).toBe("Tier 29");
});
