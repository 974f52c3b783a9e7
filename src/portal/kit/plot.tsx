/**
 * A plot with its values on hover and on touch. The drawing is for the eye only: the table below it, which opens, has all
 * values for the keyboard and for screen readers.
 */

import { type PointerEvent, useCallback, useState } from "react";
import { type Layout, layoutOf, MARGIN } from "./plot-layout.ts";
import type { PlotProps, Series } from "./series.ts";
import { Table } from "./table.tsx";
import "./plot.css";

export function Plot(props: PlotProps) {
  const { title, xs, series, height = 220 } = props;
  /** In whole pixels; 0 until it is known. */
  const [width, setWidth] = useState(0);
  const room = useCallback((frame: HTMLDivElement) => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    watch.observe(frame);
    return () => watch.disconnect();
  }, []);
  const hasValues =
    xs.length > 0 && series.some(({ values }) => values.some((one) => one !== null));
  return (
    <figure className="plot">
      <figcaption className="plot-title">{title}</figcaption>
      {series.some(({ note }) => series.length > 1 || note !== undefined) && (
        <ul className="row small soft plot-legend" aria-hidden="true">
          {series.map(({ label, note }, at) => (
            <li key={label}>
              <Key at={at} /> {label}
              {note !== undefined && <span className="note">, {note}</span>}
            </li>
          ))}
        </ul>
      )}
      <div className="plot-room" ref={room} style={{ height }}>
        {!hasValues && <p className="plot-none note">No data</p>}
        {hasValues && width > 0 && <Drawing {...props} width={width} height={height} />}
      </div>
      {hasValues && <Values {...props} />}
    </figure>
  );
}

interface DrawingProps extends PlotProps {
  width: number;
  height: number;
}

function Drawing(props: DrawingProps) {
  const { xs, series, width, height, kind = "line" } = props;
  const [chosen, setChosen] = useState<number>();
  const layout = layoutOf(props, width, height);
  const shown = chosen === undefined ? undefined : Math.min(chosen, xs.length - 1);
  const onPointer = (event: PointerEvent) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    setChosen(nearest(layout, xs, event.clientX - left));
  };
  return (
    <div
      className="plot-frame"
      aria-hidden="true"
      onPointerMove={onPointer}
      onPointerDown={onPointer}
      onPointerLeave={() => setChosen(undefined)}
    >
      <svg className="plot-drawing" width={width} height={height} aria-hidden="true">
        <Axes layout={layout} width={width} height={height} />
        {shown !== undefined && (
          <line
            className="plot-cursor"
            x1={layout.xOf(xs[shown]!)}
            x2={layout.xOf(xs[shown]!)}
            y1={MARGIN.top}
            y2={height - MARGIN.bottom}
          />
        )}
        {series.map((one, number) => (
          <g key={one.label} className={`plot-series-${number + 1}`}>
            {kind === "bars" ? (
              <Bars series={one} number={number} of={series.length} {...{ xs, layout }} />
            ) : (
              <Line series={one} number={number} {...{ xs, layout, shown }} />
            )}
          </g>
        ))}
      </svg>
      {shown !== undefined && <Tip {...props} at={shown} left={layout.xOf(xs[shown]!)} />}
    </div>
  );
}

function Axes({ layout, width, height }: { layout: Layout; width: number; height: number }) {
  const { xOf, yOf, xTicks, yTicks } = layout;
  return (
    <>
      {yTicks.map(({ value, text }) => (
        <g key={value}>
          <line
            className="plot-grid"
            x1={MARGIN.left}
            x2={width - MARGIN.right}
            y1={yOf(value)}
            y2={yOf(value)}
          />
          <text
            className="plot-tick"
            x={MARGIN.left - 8}
            y={yOf(value)}
            dy="0.32em"
            textAnchor="end"
          >
            {text}
          </text>
        </g>
      ))}
      {xTicks.map(({ value, text, anchor }) => (
        <text key={value} className="plot-tick" x={xOf(value)} y={height - 8} textAnchor={anchor}>
          {text}
        </text>
      ))}
    </>
  );
}

interface MarksProps {
  xs: readonly number[];
  series: Series;
  /** The number of the series, from 0. */
  number: number;
  layout: Layout;
}

function Line({
  xs,
  series: { values, isJoined = false },
  number,
  layout: { xOf, yOf },
  shown,
}: MarksProps & { shown: number | undefined }) {
  let path = "";
  let isOpen = false;
  values.forEach((value, at) => {
    if (value !== null) path += `${isOpen ? "L" : "M"}${xOf(xs[at]!)} ${yOf(value)}`;
    isOpen = value !== null || (isOpen && isJoined);
  });
  // Many points would hide the line; a value without neighbours needs its point.
  const isSparse = xs.length <= 60;
  return (
    <>
      <path className="plot-line" d={path} />
      {values.map((value, at) => {
        if (value === null) return null;
        const isAlone = (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null;
        if (!isSparse && !isAlone && at !== shown) return null;
        const scale = at === shown ? " scale(1.6)" : "";
        return (
          <path
            key={xs[at]}
            className="plot-point"
            d={SHAPES[number % SHAPES.length]}
            transform={`translate(${xOf(xs[at]!)} ${yOf(value)})${scale}`}
          />
        );
      })}
    </>
  );
}

function Bars({ xs, series: { values }, layout, number, of }: MarksProps & { of: number }) {
  const { xOf, yOf, step, base } = layout;
  const width = Math.max(1, Math.min(32, (step * 0.7) / of));
  return values.map((value, at) => {
    if (value === null) return null;
    const [top, bottom] = [Math.min(yOf(value), yOf(base)), Math.max(yOf(value), yOf(base))];
    return (
      <rect
        key={xs[at]}
        className="plot-bar"
        x={xOf(xs[at]!) - (width * of) / 2 + number * width}
        y={top}
        width={Math.max(1, width - 1)}
        height={bottom - top}
        rx="2"
      />
    );
  });
}

/** A circle, a square and a triangle: series differ by more than their colour. */
const SHAPES = [
  "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0",
  "M-3 -3h6v6h-6z",
  "M0 -4.5l4 7h-8z",
] as const;

/** The shape of a series, in the legend and beside a value. */
const Key = ({ at }: { at: number }) => (
  <svg
    className={`plot-key plot-series-${at + 1}`}
    width="10"
    height="10"
    viewBox="-5 -5 10 10"
    aria-hidden="true"
  >
    <path className="plot-point" d={SHAPES[at % SHAPES.length]} />
  </svg>
);

/** The values at the cursor, beside it. */
function Tip({ at, left, ...props }: DrawingProps & { at: number; left: number }) {
  const { xs, series, width } = props;
  const known = series.flatMap(({ label, values }, number) =>
    typeof values[at] === "number" ? [{ label, number, value: values[at] }] : [],
  );
  return (
    <div
      className="frame small plot-tip"
      // On the wider side, and within the plot.
      style={
        left > width / 2
          ? { right: width - left + 12, maxWidth: left - 12 }
          : { left: left + 12, maxWidth: width - left - 12 }
      }
    >
      <span>{nameOf(props, xs[at]!)}</span>
      {known.length === 0 && <span>no data</span>}
      {known.map(({ label, number, value }) => (
        <span key={label}>
          <Key at={number} /> {label}: <strong>{textOf(props, value)}</strong>
        </span>
      ))}
    </div>
  );
}

function Values(props: PlotProps) {
  const { title, xs, xHead, series } = props;
  const columns = series.map(({ label, values }) => ({
    head: label,
    cell: (x: number) => textOf(props, values[xs.indexOf(x)] ?? null),
    isNumber: true,
  }));
  return (
    <details className="plot-values">
      <summary className="note">All values</summary>
      <Table
        caption={title}
        columns={[{ head: xHead, cell: (x) => nameOf(props, x), isHead: true }, ...columns]}
        rows={xs}
        keyOf={(x) => x}
      />
    </details>
  );
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

const nameOf = ({ xName, xLabel }: PlotProps, x: number): string => (xName ?? xLabel)(x);

const textOf = ({ yLabel }: Pick<PlotProps, "yLabel">, value: number | null): string =>
  value === null ? "no data" : (yLabel ?? whole.format)(value);

/** The position in `xs` that is closest to the pointer. */
function nearest({ xOf }: Layout, xs: readonly number[], pointer: number): number {
  const distance = (x: number) => Math.abs(xOf(x) - pointer);
  return xs.reduce((best, x, at) => (distance(x) < distance(xs[best]!) ? at : best), 0);
}
