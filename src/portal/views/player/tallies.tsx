/** Results by mode and hero in recent matches, as bars. */

import { useState } from "react";
import { counted } from "../../format.ts";
import type { Appearance } from "./appearance.ts";
import { type Tally, tallies } from "./form.ts";

/** How many rows to show at first. */
const FIRST = 8;

interface Props {
  appearances: readonly Appearance[];
  /** Whether more matches are loading. */
  isLoading: boolean;
}

export function Tallies({ appearances, isLoading }: Props) {
  return (
    <div className={`player-tallies${isLoading ? " player-tallies-loading" : ""}`}>
      <TallyCard title="Modes" rows={tallies(appearances, ({ mode }) => mode)} />
      <TallyCard title="Heroes" rows={tallies(appearances, ({ hero }) => hero)} />
    </div>
  );
}

function TallyCard({ title, rows }: { title: string; rows: readonly Tally[] }) {
  const [isComplete, setWhole] = useState(false);
  const shown = isComplete ? rows : rows.slice(0, FIRST);
  const most = Math.max(0, ...rows.map(({ played }) => played));
  return (
    <section className="card" aria-label={title}>
      <div className="player-section-head">
        <h2>{title}</h2>
        <p className="player-note">wins / matches</p>
      </div>
      <ul className="player-tally-list">
        {shown.map((row) => (
          <TallyRow key={row.name} row={row} most={most} />
        ))}
      </ul>
      {rows.length > FIRST && (
        <button
          type="button"
          className="button button-small"
          aria-expanded={isComplete}
          onClick={() => setWhole(!isComplete)}
        >
          {isComplete ? "Show fewer" : `Show all ${rows.length}`}
        </button>
      )}
    </section>
  );
}

/** The bar shows the number of matches; its dark part shows the wins. */
function TallyRow({ row: { name, played, won, winRate }, most }: { row: Tally; most: number }) {
  const rate = winRate === undefined ? "–" : `${Math.round(winRate * 100)}%`;
  return (
    <li className="player-tally">
      <span className="player-tally-name">{name}</span>
      <span className="player-tally-count">
        <span aria-hidden="true">
          {won} / {played}
        </span>
        <span className="visually-hidden">
          {counted(won, "win")} in {counted(played, "match", "matches")}
        </span>
      </span>
      <span className="player-tally-rate">
        <span className="visually-hidden">Win rate </span>
        {rate}
      </span>
      <span className="player-tally-track" aria-hidden="true">
        <span className="player-tally-played" style={{ width: `${(played / most) * 100}%` }}>
          <span className="player-tally-won" style={{ width: `${(won / played) * 100}%` }} />
        </span>
      </span>
    </li>
  );
}
