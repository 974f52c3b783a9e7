/** The properties of a plot. */

export interface Series {
  label: string;
  /** One value per item of `xs`; null where there is none. */
  values: readonly (number | null)[];
}

export interface PlotProps {
  /** What the plot shows: "Gold per match, oldest first". */
  title: string;
  /** In ascending order. */
  xs: readonly number[];
  /** The label of an `x` on the axis and in the table. */
  xLabel(x: number): string;
  xHead: string;
  /** At most three; each has its own colour. */
  series: readonly Series[];
  /** In pixels; reserved while the plot is loading. */
  height?: number;
}
