/** Placeholders in the shape of the content that is loading, so that the page does not move when it arrives. */

import type { CSSProperties } from "react";

interface Props {
  /** What is loading, for screen readers: "Loading matches". */
  label: string;
  /** "lines": text. "rows": a list or table. "cards": a grid of cards. "band": tile, title and figures of a page. */
  shape?: "lines" | "rows" | "cards" | "band";
  /** How many lines, rows or cards. */
  count?: number;
  /** The height of a row or card, in pixels. */
  height?: number;
}

export function Skeleton({ label, shape = "lines", count = 4, height }: Props) {
  const style = height === undefined ? undefined : ({ "--height": `${height}px` } as CSSProperties);
  return (
    <div className={`loading skeleton-${shape}`} role="status" aria-live="polite" style={style}>
      <span className="visually-hidden">{label}</span>
      {shape === "band" ? (
        <Band />
      ) : (
        Array.from({ length: count }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts are identical.
          <span key={at} className={`loading-line loading-${shape}`} aria-hidden="true" />
        ))
      )}
    </div>
  );
}

function Band() {
  return (
    <>
      <span className="loading-line skeleton-tile" aria-hidden="true" />
      <span className="skeleton-words" aria-hidden="true">
        <span className="loading-line skeleton-title" />
        <span className="loading-line skeleton-note" />
      </span>
      <span className="loading-line skeleton-figure" aria-hidden="true" />
    </>
  );
}
