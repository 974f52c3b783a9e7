/** A ring that shows a win rate, with the percentage in its middle. */

import "./tile.css";

interface Props {
  /** From 0 to 1; undefined if unknown. */
  value: number | undefined;
  /** What it is: "Win rate". */
  label: string;
  /** In pixels. */
  size: number;
}

const CIRCLE = { cx: 50, cy: 50, r: 42 } as const;
const LENGTH = 2 * Math.PI * CIRCLE.r;

export function Ring({ value, label, size }: Props) {
  const share = value === undefined ? 0 : Math.min(1, Math.max(0, value));
  const text = value === undefined ? "–" : `${Math.round(share * 100)}%`;
  return (
    <span className="ring" style={{ width: size, height: size }}>
      <svg viewBox="0 0 100 100" aria-hidden="true">
        <circle {...CIRCLE} className={value === undefined ? "ring-unknown" : "ring-track"} />
        <circle
          {...CIRCLE}
          className="ring-share"
          strokeDasharray={`${share * LENGTH} ${LENGTH}`}
        />
      </svg>
      <span className="ring-text">
        <strong>{text}</strong>
        <span className="note ring-label">{label}</span>
      </span>
    </span>
  );
}
