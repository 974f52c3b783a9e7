/** Draws a plot on a canvas with uPlot, in the colours of the theme. */

import { useEffect, useRef, useState } from "react";
import Chart from "uplot";
import { useTheme } from "../theme.ts";
import type { PlotProps } from "./series.ts";

export default function PlotCanvas({ xs, xLabel, series, height = 220 }: PlotProps) {
  const frame = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const width = useWidth(frame);
  const label = useRef(xLabel);
  label.current = xLabel;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that are read.
  useEffect(() => {
    if (!frame.current || width === 0) return;
    const chart = new Chart(
      optionsFor(frame.current, series, (x) => label.current(x), width, height),
      [xs as number[], ...series.map(({ values }) => values as (number | null)[])],
      frame.current,
    );
    return () => chart.destroy();
  }, [xs, series, width, height, theme]);

  return <div ref={frame} />;
}

function optionsFor(
  frame: HTMLElement,
  series: PlotProps["series"],
  xLabel: (x: number) => string,
  width: number,
  height: number,
): Chart.Options {
  const token = (name: string) => colourOf(frame, name);
  const font = `12px ${getComputedStyle(frame).fontFamily}`;
  const axis = {
    stroke: token("--ink-soft"),
    grid: { stroke: token("--line"), width: 1 },
    ticks: { show: false },
    font,
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { size: 8 } },
    scales: { x: { time: false } },
    axes: [
      {
        ...axis,
        size: 32,
        grid: { show: false },
        values: (_chart, ticks) =>
          ticks.map((tick) => (Number.isInteger(tick) ? xLabel(tick) : "")),
      },
      { ...axis, size: 56, values: (_chart, ticks) => ticks.map(short) },
    ],
    series: [
      {},
      ...series.map((one, at) => ({
        label: one.label,
        stroke: token(`--series-${at + 1}`),
        width: 2,
        points: { size: 6, fill: token("--surface") },
      })),
    ],
  };
}

/** Resolves a design token to a colour, since a canvas cannot use CSS variables. */
function colourOf(frame: HTMLElement, token: string): string {
  const before = frame.style.color;
  frame.style.color = `var(${token})`;
  const { color } = getComputedStyle(frame);
  frame.style.color = before;
  return color;
}

/** 12,500 is written as 12.5k, so that the axis stays narrow. */
function short(value: number): string {
  if (Math.abs(value) < 1000) return String(value);
  return `${Math.round(value / 100) / 10}k`;
}

/** The available width in whole pixels; 0 until it is known. */
function useWidth(frame: React.RefObject<HTMLDivElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!frame.current) return;
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    watch.observe(frame.current);
    return () => watch.disconnect();
  }, [frame]);
  return width;
}
