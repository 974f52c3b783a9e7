/** In charge of everything else a player's record carries, such as what seasons were worth. */

import { numberIn, type Stats } from "../../format.ts";
import { Pairs } from "../../kit/pairs.tsx";
import { otherValues } from "../match/extras.ts";

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

export function MoreStats({ attributes, stats }: { attributes: Stats; stats: Stats }) {
  const figures = [
    // A figure of another type than usual has no tile, and is told here.
    ...otherValues(
      stats,
      SHOWN.filter((key) => numberIn(stats, key) !== undefined),
    ),
    ...otherValues(attributes, ["name", "patchVersion", "shardId", "stats"]),
  ];
  if (figures.length === 0) return null;
  return (
    <section className="player-more" aria-labelledby="more">
      <h2 id="more">More in this record</h2>
      <Pairs pairs={figures} className="player-pairs" />
    </section>
  );
}
