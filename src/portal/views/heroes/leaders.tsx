/** The heroes that stand out: by win rate, pick rate, kills and gold. */

import { count } from "../../format.ts";
import { HeroTile } from "../../kit/tile.tsx";
import { ENOUGH, type HeroRow, leaderOf, percent } from "./table.ts";

const KINDS = [
  ["winRate", "Best win rate", ({ winRate }: HeroRow) => percent(winRate)],
  ["pickRate", "Most played", ({ pickRate }: HeroRow) => percent(pickRate)],
  ["kills", "Most kills", ({ kills }: HeroRow) => kills.toFixed(1)],
  ["gold", "Most gold", ({ gold }: HeroRow) => count(gold)],
] as const;

export function Leaders({ rows }: { rows: readonly HeroRow[] }) {
  return (
    <ul
      className="heroes-leaders"
      aria-label={`Leading heroes, of those played at least ${ENOUGH} times`}
    >
      {KINDS.map(([name, label, text]) => {
        const row = leaderOf(rows, name);
        return (
          <li key={name} className="card heroes-leader">
            <HeroTile actor={row?.hero ?? "?"} size={56} isDecorative />
            <span className="heroes-leader-words">
              <span className="note cut">{label}</span>
              <strong className="heroes-leader-value">{row ? text(row) : "–"}</strong>
              <span className="small soft cut">
                {row ? row.name : "Too few matches"}
                {row && (
                  <span className="heroes-leader-times"> · played {count(row.matches)} times</span>
                )}
              </span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}
