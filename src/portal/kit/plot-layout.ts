/** The scales of a plot, and the ticks of its axes: round numbers, and no label twice. */

import { compact } from "../format.ts";
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
  const { xs, series, range, kind = "line", yTick, yLabel } = props;
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
    yTicks: steps.map((value) => ({ value, text: (yTick ?? yLabel ?? compact)(value) })),
  };
}

/** Round values that enclose all values. */
function stepsOf(values: readonly number[], wanted: number): number[] {
  const low = Math.min(...values);
  const high = Math.max(...values);
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

/** As many labels as fit, at values that exist. A label that repeats the one before is left out. */
function xTicksOf({ xs, xLabel }: PlotProps, xOf: (x: number) => number, inside: number) {
  const ticks: Layout["xTicks"] = [];
  const stride = Math.max(1, Math.ceil(xs.length / Math.max(2, Math.floor(inside / 80))));
  let lastRight = Number.NEGATIVE_INFINITY;
  let lastText = "";
  for (let at = 0; at < xs.length; at += stride) {
    const value = xs[at]!;
    const text = xLabel(value);
    const x = xOf(value);
    const halfWidth = text.length * 3.6;
    const isFirst = x - halfWidth < 0;
    const isLast = x + halfWidth > MARGIN.left + inside + MARGIN.right;
    const left = isFirst ? x : isLast ? x - 2 * halfWidth : x - halfWidth;
    if (text === "" || text === lastText || left < lastRight + 10) continue;
    ticks.push({ value, text, anchor: isFirst ? "start" : isLast ? "end" : "middle" });
    lastRight = left + 2 * halfWidth;
    lastText = text;
  }
  return ticks;
}
