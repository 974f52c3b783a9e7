/** One side of the newest match: players, heroes and scores. */

import { count } from "../../format.ts";
import { Link } from "../../router.ts";
import { OUTCOME_NAMES } from "../match/record.ts";
import type { Line, Side as SideOfMatch } from "../match/scoreboard.ts";

export function Side({ side, shard }: { side: SideOfMatch; shard: string }) {
  return (
    <section className={`start-side start-side-${side.colour === "blue" ? "left" : "right"}`}>
      <h4 className="start-side-head">
        <span className={`start-outcome start-outcome-${side.outcome}`}>
          {OUTCOME_NAMES[side.outcome]}
        </span>
        <span className="start-kills">
          {count(side.totals.kills)} <span className="start-unit">kills</span>
        </span>
      </h4>
      <ul>
        {side.lines.map((line) => (
          <Member key={line.id} line={line} shard={shard} />
        ))}
      </ul>
    </section>
  );
}

function Member({ line, shard }: { line: Line; shard: string }) {
  const { player, hero, kills, deaths, assists } = line;
  return (
    <li className="start-member">
      <span className="start-who">
        {player ? (
          <Link to={{ name: "player", shard, id: player.id }}>{player.name}</Link>
        ) : (
          <span className="start-nobody">Bot or anonymous</span>
        )}
        <span className="start-hero">{hero}</span>
      </span>
      <span className="start-score">
        <span className="visually-hidden">Kills, deaths, assists: </span>
        {[kills, deaths, assists].map(count).join(" / ")}
      </span>
    </li>
  );
}
