/** When a failed delivery is attempted again. */

import { expect, test } from "bun:test";
import { nextAttempt } from "../../src/features/webhooks/schedule.ts";
import { delayOf } from "../../src/features/webhooks/send.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 2, 1);

test.each([
  [1, 5000],
  [2, 30_000],
  [3, 2 * MINUTE],
  [4, 10 * MINUTE],
  [5, 30 * MINUTE],
  [6, 2 * HOUR],
  [7, 4 * HOUR],
  [50, 4 * HOUR],
])("after %i failures, the pause is %i ms and up to a fifth longer", (attempts, pause) => {
  const failures = { attempts, since: NOW, retryAfterMs: 0 };
  expect(nextAttempt(failures, NOW, 0)).toBe(NOW + pause);
  expect(nextAttempt(failures, NOW, 1)).toBe(NOW + 1.2 * pause);
});

test.each([
  [0, 5000],
  [1000, 5000],
  [MINUTE, MINUTE],
  [100 * HOUR, 4 * HOUR],
])("a receiver that asks for %i ms gets a pause of %i ms", (retryAfterMs, pause) => {
  expect(nextAttempt({ attempts: 1, since: NOW, retryAfterMs }, NOW, 0)).toBe(NOW + pause);
});

test("the last attempt is made a day after the first, and then none", () => {
  const failures = { attempts: 9, since: NOW, retryAfterMs: 0 };
  expect(nextAttempt(failures, NOW + 23 * HOUR, 0)).toBe(NOW + 24 * HOUR);
  expect(nextAttempt(failures, NOW + 24 * HOUR, 0)).toBeUndefined();
});

test.each([
  [undefined, 0],
  ["120", 120_000],
  ["0", 0],
  ["-5", 0],
  ["soon", 0],
  ["Sun, 01 Mar 2026 00:01:00 GMT", MINUTE],
  ["Sun, 01 Mar 2020 00:00:00 GMT", 0],
  ["99999999999", 0],
])("Retry-After %p asks for %i ms", (text, expected) => {
  expect(delayOf(text, NOW)).toBe(expected);
});
