/** Compares one value of all participants, as bars on one scale. */

import { useState } from "react";
import { count } from "../../format.ts";
import { Segmented } from "../../kit/segmented.tsx";
import { HeroTile } from "../../kit/tile.tsx";
import { type Match, type Member, mostOf, type Rated, type Side } from "../../match.ts";

const MEASURES: readonly { value: Rated; label: string }[] = [
  { value: "gold", label: "Gold" },
  { value: "kills", label: "Kills" },
  { value: "assists", label: "Assists" },
  { value: "farm", label: "Farm" },
];

export function Comparison({ match }: { match: Match }) {
  const [chosen, setChosen] = useState<Rated>();
  const measures = MEASURES.filter(({ value }) => mostOf(match, value) > 0);
  const measure = chosen ?? measures[0]?.value;
  if (measure === undefined) return null;
  return (
    <section className="match-comparison" aria-labelledby="comparison">
      <header className="match-section-head">
        <h2 id="comparison">Player comparison</h2>
        <Segmented<Rated>
          label="Compare by"
          options={measures}
          value={measure}
          onChange={setChosen}
        />
      </header>
      <div className="card match-bars">
        {match.sides.map((side) => (
          <SideBars key={side.id} side={side} measure={measure} most={mostOf(match, measure)} />
        ))}
      </div>
    </section>
  );
}

/** The players of a side, the highest value first. */
function SideBars({ side, measure, most }: { side: Side; measure: Rated; most: number }) {
  const members = side.members.toSorted(
    (one, other) => (other[measure] ?? -1) - (one[measure] ?? -1),
  );
  return (
    <ul className={`match-side-bars match-${side.colour}`} aria-label={side.name}>
      {members.map((member) => (
        <li key={member.id} className="match-bar">
          <HeroTile actor={member.actor} size={28} isDecorative />
          <span className="match-bar-name">{nameOf(member)}</span>
          <span className="match-bar-value">{count(member[measure])}</span>
          <span className="match-bar-track" aria-hidden="true">
            <span
              className="match-bar-fill"
              style={{ width: `${widthOf(member[measure], most)}%` }}
            />
          </span>
        </li>
      ))}
    </ul>
  );
}

const widthOf = (value: number | undefined, most: number): number =>
  most > 0 ? Math.min(100, Math.max(0, ((value ?? 0) / most) * 100)) : 0;

const nameOf = ({ hero, player }: Member): string => player?.name ?? hero;
