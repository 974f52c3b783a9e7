/** In charge of what a plot is made of. */

export interface Series {
  label: string;
  /** One for each of `xs`; null where there is none. */
  values: readonly (number | null)[];
}

export interface PlotProps {
  /** Says what is seen: "Gold in the last 20 matches". */
  title: string;
  /** In rising order. */
  xs: readonly number[];
  /** How one of them is written below the axis and in the table. */
  xLabel(x: number): string;
  xHead: string;
  /** Up to three; each has its own colour. */
  series: readonly Series[];
  /** In pixels; reserved while the plot is loading. */
  height?: number;
}
