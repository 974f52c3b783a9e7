/** The pure parts of the benchmark: statistics, wrk's output, fairness, the report. */

import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decadesAround } from "../../bench/bars.ts";
import { niceStep } from "../../bench/curves.ts";
import { documentDifference } from "../../bench/fairness.ts";
import type { Circumstances } from "../../bench/machine.ts";
import { verdict } from "../../bench/measure-memory.ts";
import { placesIn, ROOT } from "../../bench/places.ts";
import { plotsOf } from "../../bench/plots.ts";
import { DOCUMENTS, published } from "../../bench/publish.ts";
import { render } from "../../bench/report.ts";
import {
  type Results,
  readResults,
  type ScenarioRow,
  type ServerFigures,
} from "../../bench/results.ts";
import { chance, growthPercent, median, middleBy, shuffled } from "../../bench/statistics.ts";
import { markdownTable, readable } from "../../bench/table.ts";
import { measuredFrom, parseReplay, problemIn, type Replay } from "../../bench/wrk.ts";

describe("statistics", () => {
  test("the median is the middle value, or the mean of the two middle ones", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([7])).toBe(7);
    expect(() => median([])).toThrow("no values");
  });

  test("the middle element is one of the elements", () => {
    expect(middleBy(["aaaa", "a", "aa"], (text) => text.length)).toBe("aa");
    expect(middleBy(["aaaa", "a"], (text) => text.length)).toBe("aaaa");
  });

  test("growth is relative to the first value", () => {
    expect(growthPercent(200, 210)).toBe(5);
    expect(growthPercent(200, 190)).toBe(-5);
  });

  test("random numbers repeat for the same seed and stay between 0 and 1", () => {
    const draw = (seed: number) => Array.from({ length: 1000 }, chance(seed));
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(draw(1).every((value) => value >= 0 && value < 1)).toBe(true);
  });

  test("shuffling keeps all elements", () => {
    const things = Array.from({ length: 50 }, (_, at) => at);
    const mixed = shuffled(things, chance(3));
    expect(mixed).not.toEqual(things);
    expect(mixed.toSorted((one, other) => one - other)).toEqual(things);
  });
});

const REPLAY: Replay = {
  requests: 1000,
  duration: 2_000_000,
  bytes: 500_000,
  errors: { connect: 0, read: 0, write: 0, status: 0, timeout: 0 },
  latency: { p50: 1500, p90: 2500, p99: 9000, max: 12_000 },
};

describe("the output of wrk", () => {
  test("is found among other lines", () => {
    const output = `Running 4s test\n  1000 requests in 4s\n\nreplay ${JSON.stringify(REPLAY)}\n`;
    expect(parseReplay(output)).toEqual(REPLAY);
    expect(() => parseReplay("unable to connect")).toThrow("unable to connect");
  });

  test("is converted to figures per request", () => {
    expect(measuredFrom(REPLAY, { cpu: 1_000_000, waiting: 100_000 })).toEqual({
      requests: 1000,
      requestsPerSecond: 500,
      p50Ms: 1.5,
      p90Ms: 2.5,
      p99Ms: 9,
      maxMs: 12,
      cpuMicros: 1000,
      busyShare: 0.5,
      waitingShare: 0.05,
      wireBytes: 500,
    });
  });

  test("does not count after an error or without a response", () => {
    expect(problemIn(REPLAY)).toBeUndefined();
    const errors = { ...REPLAY.errors, status: 3, timeout: 1 };
    expect(problemIn({ ...REPLAY, errors })).toBe("3 status errors, 1 timeout errors");
    expect(problemIn({ ...REPLAY, requests: 0 })).toBeDefined();
  });
});

describe("fairness", () => {
  const reply = (ids: string[], included: number) => ({
    data: ids.map((id) => ({ type: "match", id })),
    included: Array.from({ length: included }, (_, at) => ({ type: "roster", id: `r${at}` })),
  });

  test("requires the same ids in the same order and as many included resources", () => {
    expect(documentDifference(reply(["a", "b"], 2), reply(["a", "b"], 2))).toBeUndefined();
    expect(documentDifference(reply(["a", "b"], 2), reply(["b", "a"], 2))).toContain("[b, a]");
    expect(documentDifference(reply(["a"], 2), reply(["a"], 3))).toContain("2 and 3");
  });
});

describe("the verdict on memory", () => {
  test("measures growth after the warm-up", () => {
    const samples = [0, 60, 120, 180, 600].map((seconds, at) => ({
      seconds,
      serverMiB: [50, 90, 100, 130, 105][at]!,
      ownMiB: [40, 70, 80, 90, 80][at]!,
      ...(seconds === 180 ? { ingestMiB: 200 } : {}),
    }));
    expect(verdict(samples, 600)).toEqual({
      settledSeconds: 120,
      settledMiB: 100,
      settledOwnMiB: 80,
      endMiB: 105,
      endOwnMiB: 80,
      maxMiB: 130,
      maxIngestMiB: 200,
      growthPercent: 5,
      ownGrowthPercent: 0,
    });
  });
});

describe("tables", () => {
  test("align cells and omit empty columns", () => {
    expect(
      markdownTable(
        ["Name", "None", "n"],
        [
          ["a", "", "1"],
          ["bcdef", "", "1,000"],
        ],
      ),
    ).toBe(
      ["| Name  |     n |", "| ----- | ----: |", "| a     |     1 |", "| bcdef | 1,000 |"].join(
        "\n",
      ),
    );
  });

  test.each([
    [12_345.6, "12,346"],
    [9.96, "10"],
    [3.14, "3.1"],
    [0.998, "1.0"],
    [0.01234, "0.012"],
    [0, "0"],
  ])("%d reads %s", (value, text) => {
    expect(readable(value)).toBe(text);
  });
});

const CIRCUMSTANCES: Circumstances = {
  date: "2026-01-02T03:04:05.000Z",
  command: "bun bench/run.ts",
  commit: "abc",
  machine: {
    cpu: "Some CPU",
    cores: 2,
    memoryGiB: 8,
    system: "Linux 6",
    bun: "1.4.4",
    node: "20.0.0",
    wrk: "4.1.0",
    pinning: "not pinned",
  },
};

const figures = (requestsPerSecond: number): ServerFigures => ({
  ...measuredFrom(REPLAY, { cpu: 1e9 / requestsPerSecond, waiting: 0 }),
  requestsPerSecond,
  bodyBytes: 4000,
});

const row = (name: string, withConventional: boolean): ScenarioRow => ({
  name,
  about: `about ${name}`,
  addresses: 5,
  ceiling: figures(40_000),
  matchbook: figures(10_000),
  ...(withConventional ? { conventional: figures(500) } : {}),
});

const scenarios = (withConventional: boolean): Results => ({
  scenarios: {
    ...CIRCUMSTANCES,
    matches: 5000,
    served: 4600,
    seconds: 4,
    rounds: 3,
    connections: 32,
    rows: [row("match by id", withConventional), row("not <modified>", withConventional)],
  },
});

const WHOLE: Results = {
  ...scenarios(true),
  ingest: {
    ...CIRCUMSTANCES,
    matches: 5000,
    rounds: 3,
    seconds: 4,
    cpuSeconds: 5,
    peakMiB: 200,
    matchesPerSecond: 1250,
    jsonBytesPerMatch: 11_000,
    storedBytesPerMatch: 4400,
  },
  growth: {
    ...CIRCUMSTANCES,
    seconds: 4,
    rounds: 3,
    connections: 4,
    sizes: [1000, 100_000],
    storedBytes: [4_400_000, 440_000_000],
    rows: [{ name: "match by id", p50Ms: [0.5, 0.6], cpuMicros: [100, 120] }],
  },
  memory: {
    ...CIRCUMSTANCES,
    matches: 5000,
    minutes: 10,
    connections: 32,
    requests: 600_000,
    requestsPerSecond: 1000,
    ingested: 2000,
    samples: [
      { seconds: 0, serverMiB: 80, ownMiB: 60 },
      { seconds: 600, serverMiB: 105, ownMiB: 70, ingestMiB: 150 },
    ],
    ...{ settledSeconds: 120, settledMiB: 100, settledOwnMiB: 70, endMiB: 105, endOwnMiB: 70 },
    ...{ maxMiB: 110, maxIngestMiB: 150, growthPercent: 5, ownGrowthPercent: 0 },
  },
};

describe("the report", () => {
  test("compares Matchbook with the ceiling and the conventional server", () => {
    const text = render("scenarios", WHOLE, "plots")!;
    expect(text).toMatch(/\| match by id +\| +10,000 \| +40,000 \| +500 \| +25 % \| +20× \|/);
    expect(text).toContain("](plots/scenarios-requests.svg)");
    expect(text).toContain("Measured on 2026-01-02 at commit abc with `bun bench/run.ts`");
  });

  test("has no empty columns without a conventional server", () => {
    const text = render("scenarios", scenarios(false), "plots")!;
    expect(text).not.toContain("Conventional");
    expect(text).toMatch(/\| match by id +\| +10,000 \| +40,000 \| +25 % \|/);
  });

  test("shows how CPU time grows relative to the smallest size", () => {
    const text = render("growth", WHOLE, "plots")!;
    expect(text).toMatch(/\| match by id +\|.*\| +100 \| +120 \| +1\.2× \|/);
  });

  test("omits what was not measured", () => {
    expect(render("memory", scenarios(true), "plots")).toBeUndefined();
  });

  test("replaces only the text between the markers, also repeatedly", () => {
    const text =
      "before\n<!-- bench:ingest -->\nold\n<!-- /bench:ingest -->\nafter <!-- bench:other -->";
    const once = published(text, WHOLE, "plots");
    expect(once).toStartWith("before\n<!-- bench:ingest -->\n\n| Measure");
    expect(once).toEndWith("\n\n<!-- /bench:ingest -->\nafter <!-- bench:other -->");
    expect(once).not.toContain("old");
    expect(published(once, WHOLE, "plots")).toBe(once);
  });
});

describe("what is published", () => {
  const places = placesIn(join(ROOT, "bench"));
  const results = readResults(places.results);

  test.each(DOCUMENTS.map(({ file, plots }) => [file, plots]))(
    "%s matches results.json (update it with bun bench/publish.ts)",
    (file, plots) => {
      const path = join(ROOT, file);
      const text = existsSync(path) ? readFileSync(path, "utf8") : "";
      expect(published(text, results, plots)).toBe(text);
    },
  );

  test("the plots match results.json (update them with bun bench/publish.ts)", () => {
    for (const [name, svg] of Object.entries(plotsOf(results))) {
      expect(readFileSync(join(places.plots, name), "utf8")).toBe(svg);
    }
  });
});

describe("plots", () => {
  test("are drawn for every section, without broken numbers or raw markup", () => {
    const plots = plotsOf(WHOLE);
    expect(Object.keys(plots).sort()).toEqual([
      "growth-cpu.svg",
      "growth-p50.svg",
      "memory.svg",
      "scenarios-ratios.svg",
      "scenarios-requests.svg",
    ]);
    for (const svg of Object.values(plots)) {
      expect(svg).toStartWith("<svg ");
      expect(svg).not.toMatch(/NaN|Infinity|undefined|<modified>/);
    }
  });

  test("have scales that cover all values", () => {
    expect(decadesAround([45, 12_000])).toEqual([10, 100, 1000, 10_000, 100_000]);
    expect(decadesAround([100])).toEqual([100, 1000]);
    expect([3, 45, 700, 1000].map(niceStep)).toEqual([0.5, 5, 100, 100]);
  });
});
