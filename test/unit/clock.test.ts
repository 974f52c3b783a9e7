/** Tests the clock of servers. */

import { expect, test } from "bun:test";
import { steadyClock } from "../../src/access/clock.ts";

test("while a step of the clock is not accepted yet, times are whole milliseconds", () => {
  let [wall, elapsed] = [1_800_000_000_000, 0.25];
  const clock = steadyClock({ now: () => wall, monotonic: () => elapsed });
  wall += 3_600_000;
  elapsed += 1000.7;
  expect(clock.now()).toBe(1_800_000_001_001);
  elapsed += 60_000;
  expect(clock.now()).toBe(wall);
});
