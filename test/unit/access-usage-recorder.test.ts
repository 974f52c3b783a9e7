/**
 * Usage and quotas in a running server: no request waits for a write, and no clock change loses
 * data.
 */

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { dayOf, type KeyDay, type UsageCount } from "../../src/access/usage.ts";
import { UsageRecorder } from "../../src/access/usage-recorder.ts";
import type { UsageStore } from "../../src/access/usage-store.ts";
import type { Event } from "../../src/observe/events.ts";
import { type AccessStore, openAccess } from "../../src/open-access.ts";
import { aFolder } from "../support/world.ts";

const NOON = Date.UTC(2026, 2, 10, 12);
const MIDNIGHT = Date.UTC(2026, 2, 11);
const TODAY = dayOf(NOON);

let folder: ReturnType<typeof aFolder>;
let access: AccessStore;
let events: Event[];
/** The calls of the store. */
let asked: { name: string; days: number; counted: number }[];
/** A clock that can be set, and a monotonic one. */
let clock: { time: number; monotonicTime: number; now(): number; monotonic(): number };

beforeEach(() => {
  folder = aFolder();
  access = openAccess({ data: folder.path });
  events = [];
  asked = [];
  clock = {
    time: NOON,
    monotonicTime: 0,
    now: () => clock.time,
    monotonic: () => clock.monotonicTime,
  };
});
afterEach(async () => {
  await access.close();
  folder.remove();
});

const newRecorder = () =>
  new UsageRecorder(watched(access.usage), clock, (event) => events.push(event));

function watched(store: UsageStore): UsageStore {
  return new Proxy(store, {
    get(_, name: keyof UsageStore) {
      return (...given: unknown[]) => {
        const [days, counted] = name === "add" ? (given as [UsageCount[], unknown[]]) : [[], []];
        asked.push({ name, days: days.length, counted: counted.length });
        return (store[name] as (...values: unknown[]) => unknown).apply(store, given);
      };
    },
  });
}

const hashes = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + index);

/** A process that writes to the usage file until it is stopped. */
function lockUsage(): { release(): void } {
  const writer = new Database(join(folder.path, "usage.sqlite"));
  writer.run("BEGIN IMMEDIATE");
  return {
    release() {
      writer.run("COMMIT");
      writer.close();
    },
  };
}

const requestsOf = (days: readonly KeyDay[]) =>
  days.map(({ day, requests }) => [day - TODAY, Object.fromEntries(requests)]);

describe("a writer that holds the lock", () => {
  test("delays no request: usage is counted and served, and written when the lock is released", async () => {
    const recorder = newRecorder();
    recorder.note("k_one", 200, 5, NOON);
    await recorder.write();
    const writer = lockUsage();
    recorder.note("k_one", 200, 5, NOON);
    recorder.quotas.consume("k_one", hashes(0, 5), 10, NOON);
    const writing = recorder.write();
    recorder.note("k_one", 404, 0, NOON);
    expect(requestsOf(await access.usage.read(TODAY))).toEqual([[0, { 200: 1 }]]);
    expect(recorder.quotas.count("k_one", NOON)).toBe(5);
    expect(await Promise.race([writing, "still waiting"])).toBe("still waiting");
    writer.release();
    await writing;
    expect(events).toEqual([]);
    expect(requestsOf(await access.usage.read(TODAY))).toEqual([[0, { 200: 2, 404: 1 }]]);
  });
});

describe("writing", () => {
  test("is not part of a request, and happens in batches with pauses for other work", async () => {
    const recorder = newRecorder();
    for (let key = 0; key < 1300; key++) {
      recorder.note(`k_${key}`, 200, 1, NOON);
      recorder.quotas.consume(`k_${key}`, hashes(key, 1), 10, NOON);
    }
    expect(asked).toEqual([]);
    let turns = 0;
    const count = () => {
      turns += 1;
      if (asked.length < 4) setImmediate(count);
    };
    setImmediate(count);
    await recorder.write();
    const writes = asked.filter(({ name }) => name === "add");
    expect(writes.map(({ days, counted }) => [days, counted])).toEqual([
      [500, 500],
      [500, 500],
      [300, 300],
    ]);
    expect(turns).toBeGreaterThanOrEqual(2);
    expect(await access.usage.read(TODAY)).toHaveLength(1300);
    expect((await access.usage.countedAfter(0)).counted).toHaveLength(1000);
    expect((await access.usage.countedAfter(1000)).counted).toHaveLength(300);
  });

  test("that fails loses nothing and counts nothing twice", async () => {
    const recorder = newRecorder();
    recorder.note("k_one", 200, 5, NOON);
    await recorder.write();
    const other = new Database(join(folder.path, "usage.sqlite"));
    other.run("ALTER TABLE requests RENAME TO hidden");
    recorder.note("k_one", 200, 5, NOON);
    recorder.quotas.consume("k_one", hashes(0, 3), 10, NOON);
    await recorder.write();
    await recorder.write();
    other.run("ALTER TABLE hidden RENAME TO requests");
    other.close();
    recorder.note("k_one", 404, 0, NOON);
    await recorder.write();
    expect(events.map(({ event }) => event)).toEqual([
      "usage-write-failed",
      "usage-write-still-failing",
      "usage-write-recovered",
    ]);
    expect(requestsOf(await access.usage.read(TODAY))).toEqual([[0, { 200: 2, 404: 1 }]]);
    expect((await access.usage.countedAfter(0)).counted).toEqual([
      { keyId: "k_one", day: TODAY, matches: hashes(0, 3) },
    ]);
  });
});

describe("a request that began before midnight", () => {
  test("counts for its own day, and does not affect the next", async () => {
    const recorder = newRecorder();
    const [before, after] = [MIDNIGHT - 100, MIDNIGHT + 100];
    recorder.quotas.consume("k_one", hashes(0, 3), 5, before);
    recorder.quotas.consume("k_one", hashes(10, 4), 4, after);
    expect(recorder.quotas.consume("k_one", hashes(0, 1), 4, after)).toBe(false);
    // It ends after other requests have started the new day.
    recorder.quotas.consume("k_one", hashes(3, 2), 5, before);
    recorder.note("k_one", 200, 3, before);
    recorder.note("k_one", 200, 4, after);
    recorder.note("k_one", 200, 2, before);
    expect(recorder.quotas.count("k_one", before)).toBe(5);
    expect(recorder.quotas.count("k_one", after)).toBe(4);
    await recorder.write();
    const days = await access.usage.read(TODAY);
    expect(days.map(({ day, records }) => [day - TODAY, records])).toEqual([
      [0, 5],
      [1, 4],
    ]);
    clock.time = after;
    const restarted = newRecorder();
    await restarted.start();
    expect(restarted.quotas.count("k_one", after)).toBe(4);
    expect(restarted.quotas.consume("k_one", hashes(0, 1), 4, after)).toBe(false);
    await restarted.stop();
  });
});
