/** Bar charts: groups of bars on a logarithmic scale, with values. */

import { box, FAINT, line, picture, text } from "./svg.ts";

export interface Series {
  name: string;
  colour: string;
}

export interface Group {
  label: string;
  /** One per series; undefined if there is none. */
  values: (number | undefined)[];
}

export interface BarChart {
  title: string;
  series: Series[];
  groups: Group[];
  /** The start of the bars. Default: the left edge. */
  base?: number;
  show(value: number): string;
}

const WIDTH = 860;
const LEFT = 180;
const RIGHT = 80;
const TOP = 70;
const BAR = 11;
const GAP = 12;
const LEGEND = 165;

export function barChart({ title, series, groups, base, show }: BarChart): string {
  const shown = series.flatMap((one, at) =>
    groups.some(({ values }) => values[at] !== undefined) ? [{ ...one, at }] : [],
  );
  const values = groups.flatMap((group) => group.values.filter((one) => one !== undefined));
  const decades = decadesAround(base === undefined ? values : [...values, base]);
  const [least, most] = [decades[0]!, decades.at(-1)!];
  const span = Math.log10(most / least);
  const x = (value: number) => LEFT + (Math.log10(value / least) / span) * (WIDTH - LEFT - RIGHT);
  const step = shown.length * BAR + GAP;
  const bottom = TOP + groups.length * step;

  const grid = decades.flatMap((value) => [
    line(x(value), TOP - 6, x(value), bottom),
    text(x(value), bottom + 16, show(value), { size: 11, fill: FAINT, anchor: "middle" }),
  ]);
  const legend = shown.flatMap(({ name, colour }, place) => [
    box(LEFT + place * LEGEND, 44, 12, 12, colour),
    text(LEFT + place * LEGEND + 18, 54, name),
  ]);
  const bars = groups.flatMap(({ label, values: own }, row) => {
    const top = TOP + row * step;
    const middle = top + (shown.length * BAR) / 2 + 4;
    return [
      text(LEFT - 10, middle, label, { anchor: "end" }),
      ...shown.flatMap(({ colour, at }, place) => {
        const value = own[at];
        if (value === undefined) return [];
        const from = x(base ?? least);
        const y = top + place * BAR;
        // There may be no room on the left, next to the group labels.
        const isLeft = x(value) < from && x(value) - LEFT > 45;
        const end = isLeft ? x(value) - 5 : Math.max(from, x(value)) + 5;
        return [
          box(Math.min(from, x(value)), y, Math.abs(x(value) - from), BAR - 2, colour),
          text(end, y + BAR - 3, show(value), { size: 10, anchor: isLeft ? "end" : "start" }),
        ];
      }),
    ];
  });
  const scale = text(WIDTH - RIGHT, 54, "logarithmic scale", {
    size: 11,
    fill: FAINT,
    anchor: "end",
  });
  return picture(WIDTH, bottom + 30, title, [...grid, ...legend, scale, ...bars]);
}

/** The powers of ten around all values. */
export function decadesAround(values: readonly number[]): number[] {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))));
  return Array.from({ length: last - first + 1 }, (_, at) => 10 ** (first + at));
}
