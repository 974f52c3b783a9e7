/** The scales of a plot, and the ticks of its axes: round numbers, and no label twice. */

import type { PlotProps } from "./series.ts";

export const MARGIN = { left: 48, right: 12, top: 10, bottom: 28 } as const;

export interface Layout {
  xOf(x: number): number;
  yOf(y: number): number;
  xTicks: { value: number; text: string; anchor: "start" | "middle" | "end" }[];
  yTicks: { value: number; text: string }[];
  /** Where bars start. */
  base: number;
  /** The least distance between two values, in pixels. */
  step: number;
}

export function layoutOf(props: PlotProps, width: number, height: number): Layout {
  const { xs, series, range, kind = "line" } = props;
  const inside = width - MARGIN.left - MARGIN.right;
  const [first, last] = [xs[0] ?? 0, xs.at(-1) ?? 1];
  const gap = Math.min(...xs.slice(1).map((x, at) => x - xs[at]!), Math.max(1, last - first));
  // Bars need half a step of room at both ends.
  const pad = kind === "bars" ? gap / 2 : 0;
  const span = last - first + 2 * pad || 1;
  const xOf = (x: number) =>
    MARGIN.left + (last === first && pad === 0 ? inside / 2 : ((x - first + pad) / span) * inside);

  const values = series.flatMap((one) => one.values).filter((value) => value !== null);
  const floor = kind === "bars" ? [0] : [];
  const steps = stepsOf([...values, ...floor, ...(range ?? [])], Math.max(2, height / 56));
  const [low, high] = [steps[0]!, steps.at(-1)!];
  const room = height - MARGIN.top - MARGIN.bottom;
  const yOf = (y: number) => height - MARGIN.bottom - ((y - low) / (high - low)) * room;

  return {
    xOf,
    yOf,
    base: Math.max(low, Math.min(high, 0)),
    step: (gap / span) * inside,
    xTicks: xTicksOf(props, xOf, inside),
    yTicks: yTicksOf(props, steps),
  };
}

/** Round values that enclose all values. */
export function stepsOf(values: readonly number[], wanted: number): number[] {
  const low = Math.min(...values);
  // Values that are all 0 need some height, too.
  const high = Math.max(...values) || (low === 0 ? 1 : 0);
  if (!Number.isFinite(low)) return [0, 1];
  const span = high - low || Math.abs(high) || 1;
  const rough = span / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((times) => times * power).find((one) => one >= rough)!;
  const from = Math.floor(low / step);
  const to = Math.max(from + 1, Math.ceil(high / step));
  return Array.from({ length: to - from + 1 }, (_, at) => round((from + at) * step));
}

/** Without the digits that binary fractions add: 0.30000000000000004. */
const round = (value: number): number => Number(value.toPrecision(12));

/** Labels that round two steps to the same text are replaced by longer ones. */
function yTicksOf({ yTick, yLabel }: PlotProps, steps: readonly number[]): Layout["yTicks"] {
  const given = yTick ?? yLabel;
  const isUnique = given !== undefined && new Set(steps.map(given)).size === steps.length;
  const label = isUnique ? given : shortLabel(steps);
  return steps.map((value) => ({ value, text: label(value) }));
}

/** Exact, and short: 12,500 is "12.5K". One unit for all labels of the axis. */
function shortLabel(steps: readonly number[]): (value: number) => string {
  const largest = Math.max(...steps.map(Math.abs));
  const [unit, suffix] =
    largest >= 1e9
      ? [1e9, "B"]
      : largest >= 1e6
        ? [1e6, "M"]
        : largest >= 1e4
          ? [1e3, "K"]
          : [1, ""];
  const format = new Intl.NumberFormat("en", { maximumSignificantDigits: 12 });
  return (value) => (value === 0 ? "0" : `${format.format(value / unit)}${suffix}`);
}

/** The first of each run of equal labels, without those that would touch the one before. */
function xTicksOf({ xs, xLabel }: PlotProps, xOf: (x: number) => number, inside: number) {
  const ticks: Layout["xTicks"] = [];
  const end = MARGIN.left + inside + MARGIN.right;
  let lastRight = Number.NEGATIVE_INFINITY;
  let before = "";
  for (const value of xs) {
    const text = xLabel(value);
    const isRepeated = text === before;
    before = text;
    const x = xOf(value);
    const halfWidth = text.length * 3.6;
    const isFirst = x - halfWidth < 0;
    const isLast = x + halfWidth > end;
    const left = isFirst ? x : isLast ? x - 2 * halfWidth : x - halfWidth;
    if (text === "" || isRepeated || left < lastRight + 10) continue;
    ticks.push({ value, text, anchor: isFirst ? "start" : isLast ? "end" : "middle" });
    lastRight = left + 2 * halfWidth;
  }
  return ticks;
}
