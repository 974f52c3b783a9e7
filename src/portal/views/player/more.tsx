/** All other stats of a player, such as season ratings. */

import { numberIn } from "../../format.ts";
import { Pairs } from "../../kit/pairs.tsx";
import { otherValues } from "../match/extras.ts";
import type { Known } from "./known.ts";

/** Shown in the band if they are numbers. */
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

export function MoreStats({ player: { attributes, stats } }: { player: Known }) {
  const values = [
    // A value of an unexpected type has no place in the band, so it is shown here.
    ...otherValues(
      stats,
      SHOWN.filter((key) => numberIn(stats, key) !== undefined),
    ),
    ...otherValues(attributes, ["name", "patchVersion", "shardId", "stats"]),
  ];
  if (values.length === 0) return null;
  return (
    <section className="card stack player-card" aria-labelledby="more-title">
      <h2 id="more-title">More stats</h2>
      <Pairs pairs={values} className="player-pairs small" />
    </section>
  );
}
