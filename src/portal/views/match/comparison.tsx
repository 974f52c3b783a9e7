/** Compares the gold, farm and kills of all participants as bars on one scale, by side. */

import { count } from "../../format.ts";
import { Bar } from "../../kit/bar.tsx";
import type { Line, Scoreboard, Side } from "./scoreboard.ts";

const MEASURES = [
  ["gold", "Gold"],
  ["farm", "Farm"],
  ["kills", "Kills"],
] as const;

type Measure = (typeof MEASURES)[number][0];

export function Comparison({ board }: { board: Scoreboard }) {
  if (board.sides.every(({ lines }) => lines.length === 0)) return null;
  return (
    <section className="match-comparison" aria-labelledby="comparison">
      <h2 id="comparison">Player comparison</h2>
      <div className="match-measures">
        {MEASURES.map(([measure, name]) => (
          <section key={measure} className="card" aria-label={name}>
            <h3>{name}</h3>
            {board.sides.map((side) => (
              <SideBars key={side.id} side={side} measure={measure} most={board.most[measure]} />
            ))}
          </section>
        ))}
      </div>
    </section>
  );
}

function SideBars({ side, measure, most }: { side: Side; measure: Measure; most: number }) {
  return (
    <div className="match-bars">
      <p className="match-bars-head">
        <span>{side.name}</span>
        <span>{count(side.totals[measure])}</span>
      </p>
      <ul>
        {side.lines.map((line) => (
          <li key={line.id}>
            <Bar
              label={nameOf(line)}
              value={line[measure] ?? 0}
              max={most}
              shown={count(line[measure])}
              tone={side.place}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

const nameOf = ({ hero, player }: Line): string => (player ? `${hero} · ${player.name}` : hero);
