/** The chart of a player's matches over time, by mode. */

import { useMemo, useState } from "react";
import { Plot } from "../../kit/plot.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import type { Appearance } from "../../match.ts";
import { Card } from "./cards.tsx";
import { type MatchHistory, periodOf } from "./history.ts";
import { inWords } from "./row.tsx";
import { MEASURES, type Measure, trendOf } from "./trend.ts";

const HEIGHT = 190;
const OPTIONS = (Object.keys(MEASURES) as Measure[]).map((value) => ({
  value,
  label: MEASURES[value].short,
}));

export function OverTime({ history }: { history: MatchHistory }) {
  const [measure, setMeasure] = useState<Measure>("ratio");
  const { items: appearances, isStarting } = history;
  const trend = useMemo(() => trendOf(appearances, measure), [appearances, measure]);
  const { name, digits } = MEASURES[measure];
  const format = (value: number) => value.toFixed(digits);
  return (
    <Card id="over-time" title="Over time" note={periodOf(history)}>
      <Segmented<Measure> label="Measure" options={OPTIONS} value={measure} onChange={setMeasure} />
      {isStarting ? (
        <Skeleton label="Loading chart" shape="rows" count={1} height={HEIGHT + 56} />
      ) : (
        <Plot
          title={`${name} by match, oldest first`}
          xs={trend.xs}
          xHead="Match"
          xLabel={(x) => dayOf(trend.appearances[x - 1])}
          xName={(x) => inWords(trend.appearances[x - 1]!)}
          series={trend.series.map(({ mean, ...series }) => ({
            ...series,
            ...(mean !== undefined && { note: `average ${format(mean)}` }),
          }))}
          range={[0, 0]}
          yLabel={format}
          // Exact: a step of 2.5 must not be rounded.
          yTick={(value) => value.toLocaleString("en")}
          height={HEIGHT}
        />
      )}
    </Card>
  );
}

const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

const dayOf = (one: Appearance | undefined): string =>
  Number.isNaN(Date.parse(one?.createdAt ?? "")) ? "" : day.format(new Date(one!.createdAt));
