/** The axes of the portal's plots. */

import { describe, expect, test } from "bun:test";
import { layoutOf } from "../../src/portal/kit/plot-layout.ts";
import type { PlotProps } from "../../src/portal/kit/series.ts";

const plot = (values: number[], changes: Partial<PlotProps> = {}): PlotProps => ({
  title: "",
  xs: values.map((_, at) => at),
  xLabel: String,
  xHead: "",
  series: [{ label: "a", values }],
  ...changes,
});

const yLabels = (values: number[], changes?: Partial<PlotProps>) =>
  layoutOf(plot(values, changes), 400, 224).yTicks.map(({ text }) => text);

describe("the value axis", () => {
  test.each<[values: number[], labels: string]>([
    [[3, 7, 9.5], "0 2.5 5 7.5 10"],
    [[1040, 1060], "0 500 1,000 1,500"],
    [[0.2, 0.31], "0 0.1 0.2 0.3 0.4"],
    [[9_900, 12_500], "0 5K 10K 15K"],
    [[8_000, 10_000], "0 2.5K 5K 7.5K 10K"],
    [[2_400_000], "0 1M 2M 3M"],
    [[-3, 5], "-4 -2 0 2 4 6"],
    [[0], "0 0.25 0.5 0.75 1"],
  ])("of %p and 0 has round labels", (values, labels) => {
    expect(yLabels(values, { range: [0, 0] }).join(" ")).toBe(labels);
  });

  test("repeats no label where those of the caller would, as 1.1K for 1,050 and 1,100", () => {
    const labels = yLabels([1050, 1250], { yTick: (y) => `${Math.round(y / 100) / 10}K` });
    expect(new Set(labels).size).toBe(labels.length);
  });

  test("repeats no label, and contains every value, whatever the size", () => {
    for (let size = 1e-6; size < 1e12; size *= 3.7) {
      const labels = yLabels([size, size / 3, size * 1.01]);
      expect(new Set(labels).size).toBe(labels.length);
      const { yTicks } = layoutOf(plot([size, size / 3]), 400, 224);
      expect(yTicks[0]!.value).toBeLessThanOrEqual(size / 3);
      expect(yTicks.at(-1)!.value).toBeGreaterThanOrEqual(size);
    }
  });
});

describe("the horizontal axis", () => {
  const xLabels = (labels: string[], width: number) =>
    layoutOf(
      plot(
        labels.map(() => 1),
        { xLabel: (x) => labels[x]! },
      ),
      width,
      200,
    ).xTicks;

  test("shows a repeated label once, at its first point", () => {
    const ticks = xLabels(["1 Mar", "1 Mar", "1 Mar", "2 Mar", "2 Mar"], 600);
    expect(ticks.map(({ value, text }) => [value, text])).toEqual([
      [0, "1 Mar"],
      [3, "2 Mar"],
    ]);
  });

  test("leaves out labels that would touch the one before", () => {
    const days = Array.from({ length: 30 }, (_, at) => `${at + 1} March`);
    const ticks = xLabels(days, 300);
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThan(6);
  });
});
