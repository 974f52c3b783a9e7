/** The list of a player's recent matches. */

import { clock, count } from "../../format.ts";
import { Time } from "../../kit/time.tsx";
import { Link } from "../../router.ts";
import { OUTCOME_NAMES } from "../match/record.ts";
import type { Appearance } from "./appearance.ts";
import { OUTCOME_LETTERS } from "./form.ts";

const STATS = ["K / D / A", "Gold", "Farm"];

export function MatchList({
  appearances,
  shard,
}: {
  appearances: readonly Appearance[];
  shard: string;
}) {
  return (
    <div className="player-matches">
      {/* Each value also has its own label, visible on small screens and read by screen readers. */}
      <div className="player-match player-match-head" aria-hidden="true">
        <span className="player-match-result">Result and hero</span>
        {STATS.map((name) => (
          <span key={name} className="player-figure">
            {name}
          </span>
        ))}
      </div>
      <ol>
        {appearances.map((one) => (
          <li key={one.matchId} className="player-match">
            <span className={`player-mark player-${one.outcome}`} aria-hidden="true">
              {OUTCOME_LETTERS[one.outcome]}
            </span>
            <span className="player-match-what">
              <Link className="player-match-link" to={{ name: "match", shard, id: one.matchId }}>
                <span className="visually-hidden">{OUTCOME_NAMES[one.outcome]}: </span>
                {one.hero}
              </Link>
              <span className="player-match-mode">
                {one.mode} · {clock(one.duration)} · <Time iso={one.createdAt} />
              </span>
            </span>
            <Stat name="K / D / A">
              {`${count(one.kills)} / ${count(one.deaths)} / ${count(one.assists)}`}
            </Stat>
            <Stat name="Gold">{count(one.gold)}</Stat>
            <Stat name="Farm">{count(one.farm)}</Stat>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Stat({ name, children }: { name: string; children: string }) {
  return (
    <span className="player-figure">
      <span className="player-figure-name">{name}</span> {children}
    </span>
  );
}
