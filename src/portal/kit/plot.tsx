/** A plot with its values on hover, by keyboard, and as a table for screen readers. */

import "./plot.css";
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { type Layout, layoutOf, MARGIN } from "./plot-layout.ts";
import type { PlotProps } from "./series.ts";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

export function Plot(props: PlotProps) {
  const { title, series, height = 220 } = props;
  const room = useRef<HTMLDivElement>(null);
  const width = useWidth(room);
  return (
    <figure className="plot">
      <figcaption className="plot-title">{title}</figcaption>
      {series.length > 1 && (
        <ul className="plot-legend" aria-hidden="true">
          {series.map(({ label }, at) => (
            <li key={label} className={`plot-key plot-key-${at + 1}`}>
              {label}
            </li>
          ))}
        </ul>
      )}
      <div className="plot-room" ref={room} style={{ height }}>
        {width > 0 && props.xs.length > 0 && <Drawing {...props} width={width} height={height} />}
      </div>
      <Values {...props} />
    </figure>
  );
}

function Drawing(props: PlotProps & { width: number; height: number }) {
  const { xs, xLabel, series, title, width, height, kind = "line" } = props;
  const [at, setAt] = useState<number>();
  const layout = layoutOf(props, width, height);
  const { xOf, yOf, xTicks, yTicks, base } = layout;
  const shown = at !== undefined && at < xs.length ? at : undefined;

  const onPointer = (event: PointerEvent<SVGSVGElement>) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    setAt(nearest(layout, xs, event.clientX - left));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") return setAt(undefined);
    const last = xs.length - 1;
    const next = {
      ArrowLeft: Math.max(0, (shown ?? xs.length) - 1),
      ArrowRight: Math.min(last, (shown ?? -1) + 1),
      Home: 0,
      End: last,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
  };

  return (
    <>
      <svg
        className="plot-drawing"
        width={width}
        height={height}
        role="img"
        aria-label={`${title}. Use the arrow keys to read the values.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move between the values.
        tabIndex={0}
        onPointerMove={onPointer}
        onPointerDown={onPointer}
        onPointerLeave={() => setAt(undefined)}
        onKeyDown={onKeyDown}
        onBlur={() => setAt(undefined)}
      >
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
        {shown !== undefined && (
          <line
            className="plot-cursor"
            x1={xOf(xs[shown]!)}
            x2={xOf(xs[shown]!)}
            y1={MARGIN.top}
            y2={height - MARGIN.bottom}
          />
        )}
        {series.map((one, number) => (
          <g key={one.label} className={`plot-series plot-series-${number + 1}`}>
            {kind === "bars" ? (
              <Bars
                values={one.values}
                number={number}
                of={series.length}
                {...{ xs, layout, base }}
              />
            ) : (
              <Line values={one.values} {...{ xs, layout, shown }} />
            )}
          </g>
        ))}
      </svg>
      <p className="visually-hidden" role="status">
        {shown !== undefined && `${xLabel(xs[shown]!)}: ${valuesAt(props, shown)}`}
      </p>
      {shown !== undefined && <Tip {...props} at={shown} left={xOf(xs[shown]!)} />}
    </>
  );
}

interface MarksProps {
  xs: readonly number[];
  values: readonly (number | null)[];
  layout: Layout;
}

function Line({ xs, values, layout, shown }: MarksProps & { shown: number | undefined }) {
  const { xOf, yOf } = layout;
  let path = "";
  let isJoined = false;
  values.forEach((value, at) => {
    if (value !== null) path += `${isJoined ? "L" : "M"}${xOf(xs[at]!)} ${yOf(value)}`;
    isJoined = value !== null;
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
        return (
          <circle
            key={xs[at]}
            className="plot-point"
            cx={xOf(xs[at]!)}
            cy={yOf(value)}
            r={at === shown ? 5 : 3}
          />
        );
      })}
    </>
  );
}

function Bars({
  xs,
  values,
  layout,
  base,
  number,
  of,
}: MarksProps & { base: number; number: number; of: number }) {
  const { xOf, yOf, step } = layout;
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

/** The values at the cursor, beside it. */
function Tip({
  at,
  left,
  width,
  ...props
}: PlotProps & { at: number; left: number; width: number }) {
  const { xs, xLabel, series } = props;
  const isRight = left > width / 2;
  return (
    <div
      className="plot-tip"
      aria-hidden="true"
      style={isRight ? { right: width - left + 12 } : { left: left + 12 }}
    >
      <strong>{xLabel(xs[at]!)}</strong>
      {series.map(({ label, values }, number) => (
        <span key={label} className={`plot-key plot-key-${number + 1}`}>
          {label}: {textOf(props, values[at] ?? null)}
        </span>
      ))}
    </div>
  );
}

function Values(props: PlotProps) {
  const { title, xs, xLabel, xHead, series } = props;
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
              <td key={label}>{textOf(props, values[row] ?? null)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const textOf = ({ yLabel }: Pick<PlotProps, "yLabel">, value: number | null): string =>
  value === null ? "no data" : (yLabel ?? whole.format)(value);

const valuesAt = (props: PlotProps, at: number): string =>
  props.series
    .map(({ label, values }) => `${label} ${textOf(props, values[at] ?? null)}`)
    .join(", ");

/** The position in `xs` that is closest to the pointer. */
function nearest({ xOf }: Layout, xs: readonly number[], pointer: number): number {
  let best = 0;
  xs.forEach((x, at) => {
    if (Math.abs(xOf(x) - pointer) < Math.abs(xOf(xs[best]!) - pointer)) best = at;
  });
  return best;
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
