/** A plot, with its values as a table for screen readers. uPlot is loaded with the first plot. */

import { lazy, Suspense } from "react";
import type { PlotProps } from "./series.ts";

const PlotCanvas = lazy(() => import("./chart.tsx"));

export function Plot(props: PlotProps) {
  const { title, height = 220 } = props;
  return (
    <figure className="plot">
      <figcaption className="plot-title">{title}</figcaption>
      <ul className="plot-legend" aria-hidden="true">
        {props.series.map(({ label }, at) => (
          <li key={label} className={`plot-key plot-key-${at + 1}`}>
            {label}
          </li>
        ))}
      </ul>
      <div className="plot-room" style={{ height }} aria-hidden="true">
        <Suspense fallback={null}>
          <PlotCanvas {...props} height={height} />
        </Suspense>
      </div>
      <Values {...props} />
    </figure>
  );
}

function Values({ title, xs, xLabel, xHead, series }: PlotProps) {
  return (
    <table className="visually-hidden">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">{xHead}</th>
          {series.map(({ label }) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {xs.map((x, row) => (
          <tr key={x}>
            <th scope="row">{xLabel(x)}</th>
            {series.map(({ label, values }) => (
              <td key={label}>{values[row]?.toLocaleString("en") ?? "no data"}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
