/** A labelled bar that compares a number with a maximum. */

interface Props {
  label: string;
  value: number;
  /** The value of a full bar. */
  max: number;
  /** The number as text; by default with thousands separators. */
  shown?: string;
  /** "left" and "right" are the old names of blue and red. */
  tone?: "accent" | "win" | "loss" | "blue" | "red" | "left" | "right";
  /** Grows from the right, for two bars that face each other. */
  isMirrored?: boolean;
}

export function Bar({ label, value, max, shown, tone = "accent", isMirrored = false }: Props) {
  const share = max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
  return (
    <div className={`bar bar-${tone}${isMirrored ? " bar-mirrored" : ""}`}>
      <span className="bar-label">{label}</span>
      <span className="bar-value">{shown ?? value.toLocaleString("en")}</span>
      <span className="bar-track" aria-hidden="true">
        <span className="bar-fill" style={{ width: `${share * 100}%` }} />
      </span>
    </div>
  );
}
