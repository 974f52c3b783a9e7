/** In charge of everything else a player's record carries, such as what seasons were worth. */

import { numberIn, type Stats } from "../../figures.ts";
import { Pairs } from "../../kit/pairs.tsx";
import { others } from "../match/extras.ts";

const SHOWN = [
  "played",
  "wins",
  "played_ranked",
  "winStreak",
  "lossStreak",
  "lifetimeGold",
  "level",
  "skillTier",
];

export function MoreFigures({ attributes, stats }: { attributes: Stats; stats: Stats }) {
  const figures = [
    // A figure of another type than usual has no tile, and is told here.
    ...others(
      stats,
      SHOWN.filter((key) => numberIn(stats, key) !== undefined),
    ),
    ...others(attributes, ["name", "patchVersion", "shardId", "stats"]),
  ];
  if (figures.length === 0) return null;
  return (
    <section className="player-more" aria-labelledby="more">
      <h2 id="more">More in this record</h2>
      <Pairs pairs={figures} className="player-pairs" />
    </section>
  );
}
