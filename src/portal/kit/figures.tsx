/** Key figures side by side, each with what it is and what it means. */

import type { ReactNode } from "react";

export interface KeyFigure {
  label: string;
  value: ReactNode;
  note: ReactNode;
  isBad?: boolean;
}

export function Figures({ figures }: { figures: readonly KeyFigure[] }) {
  return (
    <dl className="figures">
      {figures.map(({ label, value, note, isBad = false }) => (
        <div key={label} className="card">
          <dt className="note">{label}</dt>
          <dd>
            <span className={isBad ? "figure bad" : "figure"}>{value}</span>
            <span className="note">{note}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
