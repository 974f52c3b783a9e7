/** The pace of the background check, and what it reports. */

import { expect, test } from "bun:test";
import { BackgroundCheck } from "../../src/check/background-check.ts";
import type { Event } from "../../src/observe/events.ts";
import { type CheckStep, DamagedData, StoreUnavailable } from "../../src/store/store.ts";

/** Runs one pass over a shard. A step takes `stepMs(limit)`; the clock advances only by steps and pauses. */
async function onePass(
  steps: (CheckStep | Error)[],
  stepMs: (limit: number) => number = () => 1,
  isRemote = false,
) {
  let now = 0;
  const limits: number[] = [];
  const pauses: number[] = [];
  const recorded: DamagedData[][] = [];
  const events: Event[] = [];
  const ended = Promise.withResolvers<void>();
  let isClosed = false;
  const remaining = [...steps];
  const check = new BackgroundCheck(
    {
      list: () => ["na"],
      checker: () => ({
        isRemote,
        check(limit) {
          limits.push(limit);
          now += stepMs(limit);
          const step = remaining.shift()!;
          if (step instanceof Error) throw step;
          return step;
        },
        close() {
          isClosed = true;
        },
      }),
      setDamage: (_id, damage) => void recorded.push([...damage]),
    },
    (event) => void events.push(event),
    {},
    {
      monotonic: () => now,
      async wait(milliseconds, signal) {
        pauses.push(milliseconds);
        now += milliseconds;
        if (!isClosed || signal.aborted) return;
        ended.resolve();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
    },
  );
  await ended.promise;
  await check.stop();
  return { now, limits, pauses, recorded, events };
}

const full = (rows: number): CheckStep => ({ rows, damage: [], isLast: false });
const LAST: CheckStep = { rows: 3, damage: [], isLast: true };

test("it uses at most a fiftieth of a core, and pauses for a minute between passes", async () => {
  const { pauses } = await onePass([full(32), full(64), LAST], () => 1.2);
  expect(pauses.map(Math.round)).toEqual([60_000, 59, 59, 60_000]);
});

test("steps are short: their size follows the time they take, and each table begins with few rows", async () => {
  const steps = [full(32), full(64), full(128), full(256), full(1), LAST];
  const { limits } = await onePass(steps, (limit) => limit / 100);
  expect(limits).toEqual([32, 64, 128, 128, 128, 32]);
});

test("steps that wait for a database have more rows, and are paid for with longer pauses", async () => {
  const steps = [full(128), full(256), full(256), full(1), LAST];
  const { limits, pauses } = await onePass(steps, (limit) => limit / 8, true);
  expect(limits).toEqual([128, 256, 256, 256, 128]);
  expect(pauses.map(Math.round)).toEqual([60_000, 784, 1568, 1568, 1568, 60_000]);
});

test("damage is recorded at once and reported record by record; a pass stops when it has found enough", async () => {
  const damage = Array.from({ length: 30 }, (_, at) => new DamagedData("matches", `m${at}`));
  const first = { rows: 32, damage: damage.slice(0, 1), isLast: false };
  const { recorded, events } = await onePass([first, { ...full(64), damage: damage.slice(1) }]);
  expect(recorded.map((found) => found.length)).toEqual([1, 20]);
  expect(events.filter(({ event }) => event === "damaged-data").length).toBe(20);
  expect(events[0]).toEqual({ event: "damaged-data", shard: "na", table: "matches", record: "m0" });
});

test("a pass without damage makes the shard available; one that fails changes nothing", async () => {
  const whole = await onePass([full(32), LAST]);
  expect(whole.recorded).toEqual([[]]);
  expect(whole.events).toMatchObject([
    { event: "shard-checked", shard: "na", rows: 35, damaged: 0 },
  ]);
  const failed = await onePass([full(32), new StoreUnavailable("disk I/O error")]);
  expect(failed.recorded).toEqual([]);
  expect(failed.events).toMatchObject([{ event: "shard-check-failed", shard: "na" }]);
});
