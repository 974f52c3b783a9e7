/** The pure parts of the benchmark: medians, wrk's output, fairness, growth of memory, tables. */

import { describe, expect, test } from "bun:test";
import { chance, median, shuffled } from "../../bench/figures.ts";
import { memoryRows } from "../../bench/measure-memory.ts";
import { documentDifference } from "../../bench/requests.ts";
import { errorsIn, measuredFrom, medians, parseReplay, type Replay } from "../../bench/wrk.ts";

describe("figures", () => {
  test("the median is the middle value, or the mean of the two middle ones", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(() => median([])).toThrow("no values");
  });

  test("shuffling keeps all elements, and repeats for the same seed", () => {
    const things = Array.from({ length: 50 }, (_, at) => at);
    const mixed = shuffled(things, chance(3));
    expect(mixed).not.toEqual(things);
    expect(mixed).toEqual(shuffled(things, chance(3)));
    expect(mixed.toSorted((one, other) => one - other)).toEqual(things);
  });
});

const REPLAY: Replay = {
  requests: 1000,
  duration: 2_000_000,
  bytes: 500_000,
  errors: { connect: 0, read: 0, write: 0, status: 0, timeout: 0 },
  latency: { p50: 1500, p99: 9000 },
};

describe("the output of wrk", () => {
  test("is found among other lines", () => {
    const output = `Running 4s test\n  1000 requests in 4s\n\nreplay ${JSON.stringify(REPLAY)}\n`;
    expect(parseReplay(output)).toEqual(REPLAY);
    expect(() => parseReplay("unable to connect")).toThrow("unable to connect");
  });

  test("is converted to figures per request, of which the medians count", () => {
    const figures = measuredFrom(REPLAY, { cpu: 1_000_000, waiting: 100_000 });
    expect(figures).toEqual({
      requests: 1000,
      requestsPerSecond: 500,
      p50Ms: 1.5,
      p99Ms: 9,
      cpuMicros: 1000,
      waitingShare: 0.05,
      bytes: 500,
    });
    const rounds = [10, 30, 20].map((p99Ms) => ({ ...figures, p99Ms }));
    expect(medians(rounds)).toEqual({ ...figures, p99Ms: 20 });
  });

  test("does not count after an error", () => {
    expect(errorsIn(REPLAY)).toBeUndefined();
    const errors = { ...REPLAY.errors, status: 3, timeout: 1 };
    expect(errorsIn({ ...REPLAY, errors })).toBe("3 status errors, 1 timeout errors");
  });
});

test("servers are compared only if they send the same ids in the same order and as many included resources", () => {
  const reply = (ids: string[], included: number) => ({
    data: ids.map((id) => ({ type: "match", id })),
    included: Array.from({ length: included }, (_, at) => ({ type: "roster", id: `r${at}` })),
  });
  expect(documentDifference(reply(["a", "b"], 2), reply(["a", "b"], 2))).toBeUndefined();
  expect(documentDifference(reply(["a", "b"], 2), reply(["b", "a"], 2))).toContain("[b, a]");
  expect(documentDifference(reply(["a"], 2), reply(["a"], 3))).toContain("2 and 3");
});

test("the growth of memory counts after the warm-up", () => {
  const samples = [0, 60, 120, 180, 600].map((seconds, at) => ({
    seconds,
    resident: [50, 90, 100, 130, 105][at]!,
    own: [40, 70, 80, 90, 80][at]!,
    ingest: seconds === 180 ? 200 : 0,
  }));
  expect(memoryRows(samples, 600)).toEqual([
    ["resident memory of the server after 120 s, MiB", "100"],
    ["resident memory at the end, MiB", "105"],
    ["peak resident memory, MiB", "130"],
    ["peak resident memory of the ingest, MiB", "200"],
    ["growth from 120 s to the end", "5.0 %"],
    ["without mapped files, after 120 s, MiB", "80"],
    ["without mapped files, at the end, MiB", "80"],
    ["without mapped files, growth from 120 s to the end", "0 %"],
  ]);
});
