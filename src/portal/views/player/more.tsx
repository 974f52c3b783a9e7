/** All other stats of a player, such as season ratings. */

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
  const values = [
    // A value of an unexpected type has no tile, so it is shown here.
    ...otherValues(
      stats,
      SHOWN.filter((key) => numberIn(stats, key) !== undefined),
    ),
    ...otherValues(attributes, ["name", "patchVersion", "shardId", "stats"]),
  ];
  if (values.length === 0) return null;
  return (
    <section className="player-more" aria-labelledby="more">
      <h2 id="more">More stats</h2>
      <Pairs pairs={values} className="player-pairs" />
    </section>
  );
}
