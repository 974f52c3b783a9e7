/** Line charts: small ones side by side, or one over time. */

import { box, COLOURS, curve, dot, FAINT, GRID, line, picture, text } from "./svg.ts";

export interface Panel {
  label: string;
  points: (readonly [x: number, y: number])[];
}

const PANEL_WIDTH = 200;
const PANEL_HEIGHT = 120;
const COLUMNS = 4;

/** One small chart per label; logarithmic x axis, y axis from 0. */
export function smallCharts(
  title: string,
  unit: string,
  panels: readonly Panel[],
  show: { x(value: number): string; y(value: number): string },
): string {
  const rows = Math.ceil(panels.length / COLUMNS);
  const parts = panels.flatMap((panel, at) => {
    const left = 20 + (at % COLUMNS) * (PANEL_WIDTH + 10);
    const top = 60 + Math.floor(at / COLUMNS) * (PANEL_HEIGHT + 55);
    return smallChart(panel, left, top, show);
  });
  const width = 30 + COLUMNS * (PANEL_WIDTH + 10);
  const note = `${unit}, from 0, over matches in the shard (logarithmic)`;
  const about = text(width - 20, 30, note, { size: 11, fill: FAINT, anchor: "end" });
  return picture(width, 60 + rows * (PANEL_HEIGHT + 55), title, [about, ...parts]);
}

function smallChart(
  { label, points }: Panel,
  left: number,
  top: number,
  show: { x(value: number): string; y(value: number): string },
): string[] {
  const xs = points.map(([x]) => Math.log10(x));
  const [first, last] = [Math.min(...xs), Math.max(...xs)];
  const highest = Math.max(...points.map(([, y]) => y)) * 1.3;
  const inset = 25;
  const place = ([x, y]: readonly [number, number]): [number, number] => [
    left + inset + ((Math.log10(x) - first) / (last - first || 1)) * (PANEL_WIDTH - 2 * inset),
    top + PANEL_HEIGHT - (y / highest) * (PANEL_HEIGHT - 20),
  ];
  const base = top + PANEL_HEIGHT;
  return [
    text(left, top, label, { bold: true }),
    line(left, base, left + PANEL_WIDTH, base),
    curve(points.map(place), COLOURS.matchbook),
    ...points.flatMap((point) => {
      const [x, y] = place(point);
      return [
        dot(x, y, COLOURS.matchbook),
        text(x, y - 8, show.y(point[1]), { size: 11, anchor: "middle" }),
        text(x, base + 15, show.x(point[0]), { size: 10, fill: FAINT, anchor: "middle" }),
      ];
    }),
  ];
}

export interface TimeCurve {
  name: string;
  colour: string;
  points: (readonly [seconds: number, value: number])[];
}

/** Values over minutes; y axis from 0. */
export function timeChart(title: string, unit: string, curves: readonly TimeCurve[]): string {
  const [width, height, left, top, bottom] = [860, 360, 60, 70, 320];
  const all = curves.flatMap(({ points }) => points);
  const end = Math.max(1, ...all.map(([seconds]) => seconds));
  const tick = niceStep(Math.max(1, ...all.map(([, value]) => value)));
  const highest = Math.ceil((Math.max(...all.map(([, value]) => value)) * 1.05) / tick) * tick;
  const x = (seconds: number) => left + (seconds / end) * (width - left - 30);
  const y = (value: number) => bottom - (value / highest) * (bottom - top);
  const levels = Array.from({ length: Math.round(highest / tick) + 1 }, (_, at) => at * tick);
  const minute = Math.max(1, Math.ceil(end / 60 / 10));
  const minutes = Array.from({ length: Math.floor(end / 60 / minute) + 1 }, (_, at) => at * minute);
  return picture(width, height, title, [
    ...levels.flatMap((value) => [
      line(left, y(value), width - 30, y(value), GRID),
      text(left - 8, y(value) + 4, String(value), { size: 11, fill: FAINT, anchor: "end" }),
    ]),
    ...minutes.map((at) =>
      text(x(at * 60), bottom + 18, `${at} min`, { size: 11, fill: FAINT, anchor: "middle" }),
    ),
    ...curves.flatMap(({ name, colour, points }, at) => [
      box(left + at * 200, 44, 12, 12, colour),
      text(left + at * 200 + 18, 54, name),
      curve(
        points.map(([seconds, value]) => [x(seconds), y(value)] as const),
        colour,
      ),
    ]),
    text(width - 30, 54, unit, { size: 11, fill: FAINT, anchor: "end" }),
  ]);
}

/** A step of 1, 2 or 5 times a power of ten for four to ten grid lines. */
export function niceStep(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(highest));
  const step = [0.1, 0.2, 0.5].find((one) => highest / (one * power) <= 10) ?? 1;
  return step * power;
}
