/** Both line-ups in one table: a row per participant, with the highest values of the match marked. */

import type { ReactNode } from "react";
import { count, durationText, tier } from "../../format.ts";
import { Bar } from "../../kit/bar.tsx";
import { Name } from "../../kit/name.tsx";
import { HeroTile, ItemTile } from "../../kit/tile.tsx";
import { isHighest, type Match, type Member, mostOf, type Rated } from "../../match.ts";
import { Link } from "../../router.ts";
import { SideName } from "./result.tsx";

interface Props {
  match: Match;
  shard: string;
}

export function LineUps({ match, shard }: Props) {
  const hasItems = match.sides.some(({ members }) => members.some(({ items }) => items.length > 0));
  const columns = hasItems ? 5 : 4;
  return (
    <section aria-labelledby="line-ups">
      <header className="section-head match-section">
        <h2 id="line-ups">Scoreboard</h2>
        <p className="note match-legend">
          <span className="match-highest">Highlighted:</span> highest of the match
        </p>
      </header>
      <table className="frame match-table">
        <caption className="visually-hidden">Players of both sides</caption>
        <thead>
          <tr>
            <th scope="col">Player and hero</th>
            <th scope="col">
              <abbr title="Kills, deaths and assists">K / D / A</abbr>
            </th>
            <th scope="col">Gold</th>
            <th scope="col">Farm</th>
            {hasItems && <th scope="col">Items</th>}
          </tr>
        </thead>
        {match.sides.map((side) => (
          <tbody key={side.id} className={`match-side match-${side.colour}`}>
            <tr className="match-side-row">
              <th scope="rowgroup" colSpan={columns}>
                <span className="section-head">
                  <SideName side={side} />
                </span>
              </th>
            </tr>
            {side.members.map((member) => (
              <Participant
                key={member.id}
                member={member}
                match={match}
                shard={shard}
                hasItems={hasItems}
              />
            ))}
            {side.members.length === 0 && (
              <tr className="match-line">
                <td colSpan={columns} className="match-nobody">
                  No players recorded on this side.
                </td>
              </tr>
            )}
          </tbody>
        ))}
      </table>
    </section>
  );
}

type ParticipantProps = Props & { member: Member; hasItems: boolean };

function Participant({ member, match, shard, hasItems }: ParticipantProps) {
  const { player, level } = member;
  const marked = (name: Rated, children: ReactNode) =>
    isHighest(match, member, name) ? (
      <span className="match-highest">
        {children}
        <span className="visually-hidden"> (highest)</span>
      </span>
    ) : (
      children
    );
  const amount = (
    name: "gold" | "farm",
    head: string,
    perMinute: number | undefined,
    text: (value: number) => string,
  ) => (
    <td data-label={head}>
      <span className="match-figure">{marked(name, count(member[name]))}</span>
      {perMinute !== undefined && (
        <span className="note match-detail">{text(perMinute)} / min</span>
      )}
      <Bar value={member[name]} of={mostOf(match, name)} />
    </td>
  );
  return (
    <tr className="match-line">
      <th scope="row" className="match-who">
        <span className="match-who-inner">
          <span className="match-hero-tile">
            <HeroTile actor={member.actor} size={40} isDecorative />
            {level !== undefined && (
              <span className="match-level" title="Level">
                <span className="visually-hidden">Level </span>
                {count(level)}
              </span>
            )}
          </span>
          <span className="match-names">
            {/* Bots and anonymous players have no page. */}
            {player ? (
              <Link className="link-plain target" to={{ name: "player", shard, id: player.id }}>
                <Name>{player.name}</Name>
              </Link>
            ) : (
              <span className="soft">Bot or anonymous</span>
            )}
            <span className="note row match-about">
              <span className="soft" title={member.skin && `Skin: ${member.skin}`}>
                {member.hero}
              </span>
              {member.tier !== undefined && <span>{tier(member.tier)}</span>}
              {member.afk && (
                <span className="match-afk">
                  <abbr title="Away from keyboard">AFK</abbr>
                  {member.afkSince !== undefined && ` since ${durationText(member.afkSince)}`}
                </span>
              )}
            </span>
          </span>
        </span>
      </th>
      <td className="match-kda" data-label="K / D / A">
        <span className="match-figure">
          {marked("kills", count(member.kills))}
          <Slash />
          {count(member.deaths)}
          <Slash />
          {marked("assists", count(member.assists))}
        </span>
        {member.ratio !== undefined && (
          <span className="note match-detail">
            {marked("ratio", <>{member.ratio.toFixed(2)} KDA</>)}
          </span>
        )}
      </td>
      {amount("gold", "Gold", member.goldPerMinute, count)}
      {amount("farm", "Farm", member.farmPerMinute, (value) => value.toFixed(1))}
      {hasItems && (
        <td className="match-items-cell">
          <Items items={member.items} />
        </td>
      )}
    </tr>
  );
}

function Items({ items }: { items: readonly string[] }) {
  if (items.length === 0) return <span className="note match-detail">None</span>;
  return (
    <ul className="row match-items">
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item may appear twice, and the order is fixed.
        <li key={at}>
          <ItemTile item={item} size={28} />
        </li>
      ))}
    </ul>
  );
}

const Slash = () => <span className="match-slash">/</span>;
