/** Placeholders in the shape of the content that is loading, so that the page does not move when it arrives. */

import type { CSSProperties } from "react";

export interface SkeletonProps {
  /** What is loading, for screen readers: "Loading matches". */
  label: string;
  /** "lines": text. "rows": a list or table. "cards": a grid of cards. */
  shape?: "lines" | "rows" | "cards";
  /** How many lines, rows or cards. */
  count?: number;
  /** The height of a row or card, in pixels. */
  height?: number;
}

export function Skeleton({ label, shape = "lines", count = 4, height }: SkeletonProps) {
  const style = height === undefined ? undefined : ({ "--height": `${height}px` } as CSSProperties);
  return (
    <div className={`loading skeleton-${shape}`} role="status" aria-live="polite" style={style}>
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: count }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts are identical.
        <span key={at} className={`loading-line loading-${shape}`} aria-hidden="true" />
      ))}
    </div>
  );
}
