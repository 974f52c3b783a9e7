/** Compares one value of all participants, as bars on one scale. */

import { useState } from "react";
import { count } from "../../format.ts";
import { Bar } from "../../kit/bar.tsx";
import { Name } from "../../kit/name.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { HeroTile } from "../../kit/tile.tsx";
import { type Match, mostOf, type Rated, type Side } from "../../match.ts";

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
    <section aria-labelledby="comparison">
      <header className="section-head match-section">
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
    <ul className={`stack match-${side.colour}`} aria-label={side.name}>
      {members.map((member) => (
        <li key={member.id} className="match-bar">
          <HeroTile actor={member.actor} size={28} isDecorative />
          <Name className="small cut">{member.player?.name ?? member.hero}</Name>
          <span className="small label">{count(member[measure])}</span>
          <Bar value={member[measure]} of={most} />
        </li>
      ))}
    </ul>
  );
}
