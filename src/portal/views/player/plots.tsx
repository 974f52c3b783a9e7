/** Plots of a player's gold and farm in recent matches. */

import { useMemo } from "react";
import { count } from "../../format.ts";
import { Boundary } from "../../kit/boundary.tsx";
import { Plot } from "../../kit/plot.tsx";
import type { Appearance } from "./appearance.ts";
import { meanOf, pointsOf } from "./series.ts";

const HEIGHT = 200;

export function Plots({ appearances }: { appearances: readonly Appearance[] }) {
  const points = useMemo(() => pointsOf(appearances), [appearances]);
  return (
    <section className="player-plots" aria-label="Gold and farm in recent matches">
      <Measure name="Gold" values={points.gold} points={points} />
      <Measure name="Farm" values={points.farm} points={points} />
    </section>
  );
}

interface MeasureProps {
  name: string;
  values: readonly (number | null)[];
  points: ReturnType<typeof pointsOf>;
}

function Measure({ name, values, points: { xs, times } }: MeasureProps) {
  const series = useMemo(() => [{ label: name, values }], [name, values]);
  const mean = meanOf(values);
  return (
    <div className="card player-plot">
      <Boundary>
        <Plot
          title={`${name} per match, oldest first`}
          xs={xs}
          xHead="Match"
          xLabel={(x) => dayOf(times[x - 1])}
          series={series}
          height={HEIGHT}
        />
      </Boundary>
      <p className="player-note">{mean === undefined ? "\u00a0" : `Average: ${count(mean)}`}</p>
    </div>
  );
}

const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

function dayOf(time: string | undefined): string {
  return time === undefined || Number.isNaN(Date.parse(time)) ? "" : day.format(new Date(time));
}
