/** A player's lifetime stats: matches, wins and the current streak. */

import type { ReactNode } from "react";
import { compact, count, numberIn, type Stats, share, tier } from "../../format.ts";
import { streakInWords } from "./form.ts";

/** Renders the same tiles, without values, until the player is loaded. */
export function Lifetime({ stats }: { stats: Stats | undefined }) {
  const of = (key: string) => (stats ? numberIn(stats, key) : undefined);
  const [played, wins, gold] = [of("played"), of("wins"), of("lifetimeGold")];
  const known = (text: string) => (stats ? text : "\u00a0");
  return (
    <section className="card player-lifetime" aria-labelledby="lifetime">
      <h2 id="lifetime">Lifetime stats</h2>
      <dl className="player-tiles">
        <Tile name="Win rate">
          <span className="player-rate">{known(share(wins, played))}</span>
          <span className="player-rate-track" aria-hidden="true">
            <span
              className="player-rate-fill"
              style={{ width: `${played ? Math.min(1, (wins ?? 0) / played) * 100 : 0}%` }}
            />
          </span>
        </Tile>
        <Tile name="Streak">{stats ? <Streak stats={stats} /> : "\u00a0"}</Tile>
        <Tile name="Matches">{known(count(played))}</Tile>
        <Tile name="Wins">{known(count(wins))}</Tile>
        <Tile name="Ranked">{known(count(of("played_ranked")))}</Tile>
        <Tile name="Level">{known(count(of("level")))}</Tile>
        <Tile name="Skill">{known(tier(of("skillTier")))}</Tile>
        <Tile name="Gold">
          <span title={count(gold)}>{known(compact(gold))}</span>
        </Tile>
      </dl>
    </section>
  );
}

function Tile({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Streak({ stats }: { stats: Stats }) {
  const wins = numberIn(stats, "winStreak") ?? 0;
  const losses = numberIn(stats, "lossStreak") ?? 0;
  const tone = wins > losses ? "won" : losses > wins ? "lost" : "undecided";
  return <span className={`player-streak player-${tone}`}>{streakInWords(stats)}</span>;
}
