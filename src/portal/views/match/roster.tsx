/** One side of the scoreboard: a line per participant, with their items. */

import { clock, count, tier } from "../../format.ts";
import { Link } from "../../router.ts";
import { OutcomeMark } from "./outcome.tsx";
import { MiniBar, Tag } from "./result.tsx";
import type { Line, Scoreboard, Side } from "./scoreboard.ts";

interface Props {
  side: Side;
  shard: string;
  most: Scoreboard["most"];
}

export function Roster({ side, shard, most }: Props) {
  const heading = `roster-${side.place}`;
  return (
    <section className={`match-roster match-${side.place}`} aria-labelledby={heading}>
      <header className="match-roster-head">
        <h2 id={heading}>
          {side.name} {side.tag && <Tag tag={side.tag} />}
        </h2>
        <OutcomeMark outcome={side.outcome} />
      </header>
      {side.lines.length === 0 ? (
        <p className="match-nobody">No players recorded on this side.</p>
      ) : (
        <table className="match-lines">
          <caption className="visually-hidden">{side.name} players</caption>
          <colgroup>
            <col />
            <col className="match-kda-column" />
            <col className="match-gold-column" />
            <col className="match-farm-column" />
          </colgroup>
          <thead>
            <tr>
              <th scope="col">Hero and player</th>
              <th scope="col">
                <abbr title="Kills, deaths and assists">K / D / A</abbr>
              </th>
              <th scope="col">Gold</th>
              <th scope="col">Farm</th>
            </tr>
          </thead>
          {side.lines.map((line) => (
            <Participant key={line.id} line={line} shard={shard} most={most} />
          ))}
        </table>
      )}
    </section>
  );
}

function Participant({ line, shard, most }: { line: Line } & Omit<Props, "side">) {
  return (
    <tbody>
      <tr>
        <th scope="row">
          <span className="match-who">
            <Level level={line.level} />
            <span className="match-names">
              <span className="match-hero" title={line.skin && `Skin: ${line.skin}`}>
                {line.hero}
              </span>
              <Who line={line} shard={shard} />
              <span className="match-marks">
                {line.tier !== undefined && <span>{tier(line.tier)}</span>}
                {line.afk && <Afk since={line.afkSince} />}
              </span>
            </span>
          </span>
        </th>
        <td className="match-kda">
          <Kda line={line} />
        </td>
        <td>
          {count(line.gold)}
          <MiniBar value={line.gold} most={most.gold} />
        </td>
        <td>
          {count(line.farm)}
          <MiniBar value={line.farm} most={most.farm} />
        </td>
      </tr>
      {line.items.length > 0 && (
        <tr className="match-bought">
          <td colSpan={4}>
            <span className="visually-hidden">Items: </span>
            <ul className="match-items">
              {line.items.map((item, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: an item may appear twice, and the order is fixed.
                <li key={at}>{item}</li>
              ))}
            </ul>
          </td>
        </tr>
      )}
    </tbody>
  );
}

function Level({ level }: { level: number | undefined }) {
  return (
    <span className="match-level" title="Level">
      {level !== undefined && <span className="visually-hidden">Level </span>}
      {count(level)}
    </span>
  );
}

/** Bots and anonymous players have no page. */
function Who({ line: { player }, shard }: { line: Line; shard: string }) {
  if (!player) return <span className="match-nameless">Bot or anonymous</span>;
  return (
    <Link className="match-player" to={{ name: "player", shard, id: player.id }}>
      {player.name}
    </Link>
  );
}

function Afk({ since }: { since: number | undefined }) {
  const when = since === undefined ? "" : ` since ${clock(since)}`;
  return (
    <span className="match-afk">
      <abbr title="Away from keyboard">AFK</abbr>
      {when}
    </span>
  );
}

function Kda({ line: { kills, deaths, assists } }: { line: Line }) {
  return (
    <>
      {count(kills)}
      <span className="match-slash">/</span>
      {count(deaths)}
      <span className="match-slash">/</span>
      {count(assists)}
    </>
  );
}
