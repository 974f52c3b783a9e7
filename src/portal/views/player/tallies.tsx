/** Results by hero and by mode, in the matches that are loaded. */

import { type ReactNode, useState } from "react";
import { counted } from "../../format.ts";
import { Skeleton } from "../../kit/skeleton.tsx";
import { HeroTile } from "../../kit/tile.tsx";
import { heroName, modeName } from "../../names.ts";
import { decimal, percent } from "./figures.ts";
import { type Tally, tallies } from "./form.ts";
import type { MatchHistory } from "./history.ts";
import { periodOf } from "./matches.tsx";

/** How many rows to show at first. */
const FIRST = 5;

export function Heroes({ history }: { history: MatchHistory }) {
  return (
    <TallyCard
      id="heroes"
      title="Heroes"
      history={history}
      rows={tallies(history.items, ({ actor }) => actor)}
      nameOf={heroName}
      tileOf={(actor) => <HeroTile actor={actor} size={32} isDecorative />}
    />
  );
}

export function Modes({ history }: { history: MatchHistory }) {
  return (
    <TallyCard
      id="modes"
      title="Modes"
      history={history}
      rows={tallies(history.items, ({ mode }) => mode)}
      nameOf={modeName}
    />
  );
}

interface CardProps {
  id: string;
  title: string;
  history: MatchHistory;
  rows: readonly Tally[];
  nameOf(key: string): string;
  tileOf?(key: string): ReactNode;
}

function TallyCard({ id, title, history, rows, nameOf, tileOf }: CardProps) {
  const [isComplete, setComplete] = useState(false);
  const isLoading = history.isStarting;
  return (
    <section id={id} className="card player-card" aria-labelledby={`${id}-title`}>
      <div className="player-section-head">
        <h2 id={`${id}-title`}>{title}</h2>
        <p className="player-small">{isLoading ? "\u00a0" : periodOf(history)}</p>
      </div>
      {isLoading ? (
        <Skeleton label={`Loading ${title.toLowerCase()}`} shape="rows" count={FIRST} height={32} />
      ) : (
        <table className="player-tallies">
          <thead className="visually-hidden">
            <tr>
              <th scope="col">Name and K/D/A ratio</th>
              <th scope="col">Matches</th>
              <th scope="col">Win rate</th>
            </tr>
          </thead>
          <tbody>
            {(isComplete ? rows : rows.slice(0, FIRST)).map((row) => (
              <TallyRow key={row.key} row={row} name={nameOf(row.key)} tile={tileOf?.(row.key)} />
            ))}
          </tbody>
        </table>
      )}
      {rows.length > FIRST && (
        <button
          type="button"
          className="button button-small"
          aria-expanded={isComplete}
          onClick={() => setComplete(!isComplete)}
        >
          {isComplete ? "Show fewer" : `Show all ${rows.length}`}
        </button>
      )}
    </section>
  );
}

interface RowProps {
  row: Tally;
  name: string;
  tile?: ReactNode;
}

function TallyRow({ row: { played, won, lost, winRate, ratio }, name, tile }: RowProps) {
  return (
    <tr>
      <th scope="row">
        <span className="player-tally-name">
          {tile}
          <span className="player-tally-text">
            <span className="player-cut" title={name}>
              {name}
            </span>{" "}
            <span className="player-small">{decimal(ratio)} K/D/A</span>
          </span>
        </span>
      </th>
      <td>{counted(played, "match", "matches")}</td>
      <td title={`${counted(won, "win")}, ${counted(lost, "loss", "losses")}`}>
        <WinRate rate={winRate} />
      </td>
    </tr>
  );
}

/** A win rate as text, with a bar. */
export function WinRate({ rate }: { rate: number | undefined }) {
  return (
    <span className="player-rate">
      {percent(rate)}
      <span className="player-rate-track" aria-hidden="true">
        <span className="player-rate-fill" style={{ width: `${(rate ?? 0) * 100}%` }} />
      </span>
    </span>
  );
}
