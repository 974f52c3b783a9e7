/** The properties of a plot. */

export interface Series {
  label: string;
  /** One value per item of `xs`; null where there is none. */
  values: readonly (number | null)[];
  /** Shown in the legend only: "average 3.2". */
  note?: string;
  /** Whether the line continues over missing values. Otherwise it has a gap there. */
  isJoined?: boolean;
}

export interface PlotProps {
  /** What the plot shows: "Gold per match, oldest first". */
  title: string;
  /** In ascending order. */
  xs: readonly number[];
  /** The label of an `x` on the axis. Neighbours with the same label share it. */
  xLabel(x: number): string;
  /** The name of an `x` on hover and in the table; its label if absent. */
  xName?(x: number): string;
  xHead: string;
  /** A value on hover and in the table; with thousands separators if absent. */
  yLabel?(y: number): string;
  /** A value on the axis; `yLabel`, or in short form, if absent. */
  yTick?(y: number): string;
  /** At most three; each has its own colour and shape. */
  series: readonly Series[];
  /** "line" joins neighbouring values; "bars" start at zero. */
  kind?: "line" | "bars";
  /** The least range of the axis: [0, 1] for a share. Without it, the axis covers the values; bars include zero. */
  range?: readonly [number, number];
  /** In pixels. */
  height?: number;
}
