/** Both member-ups in one table: a row per participant, with the highest values of the match marked. */

import type { ReactNode } from "react";
import { clock, count, tier } from "../../format.ts";
import { HeroTile, ItemTile } from "../../kit/tile.tsx";
import { isHighest, type Match, type Member, mostOf, type Rated } from "../../match.ts";
import { Link } from "../../router.ts";
import { OutcomeMark, Tag } from "./result.tsx";

interface Props {
  match: Match;
  shard: string;
}

export function LineUps({ match, shard }: Props) {
  const hasItems = match.sides.some(({ members }) => members.some(({ items }) => items.length > 0));
  const columns = hasItems ? 5 : 4;
  return (
    <section className="match-member-ups" aria-labelledby="member-ups">
      <header className="match-section-head">
        <h2 id="member-ups">Scoreboard</h2>
        <p className="match-legend">
          <span className="match-highest">Highlighted:</span> highest of the match
        </p>
      </header>
      <table className="match-table">
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
                <span className="match-side-head">
                  <span className="match-side-name">
                    {side.name} {side.tag && <Tag tag={side.tag} />}
                  </span>
                  <OutcomeMark side={side} />
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

function Participant({
  member,
  match,
  shard,
  hasItems,
}: Props & { member: Member; hasItems: boolean }) {
  const marked = (name: Rated, children: ReactNode) => (
    <Value isHighest={isHighest(match, member, name)}>{children}</Value>
  );
  return (
    <tr className="match-line">
      <th scope="row" className="match-who">
        <span className="match-who-inner">
          <span className="match-hero-tile">
            <HeroTile actor={member.actor} size={40} isDecorative />
            <Level level={member.level} />
          </span>
          <span className="match-names">
            <Who member={member} shard={shard} />
            <span className="match-about">
              <span className="match-hero" title={member.skin && `Skin: ${member.skin}`}>
                {member.hero}
              </span>
              {member.tier !== undefined && <span>{tier(member.tier)}</span>}
              {member.afk && <Afk since={member.afkSince} />}
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
          <span className="match-detail">
            {marked("ratio", <>{member.ratio.toFixed(2)} KDA</>)}
          </span>
        )}
      </td>
      <td data-label="Gold">
        <span className="match-figure">{marked("gold", count(member.gold))}</span>
        <PerMinute value={member.goldPerMinute} />
        <MiniBar value={member.gold} most={mostOf(match, "gold")} />
      </td>
      <td data-label="Farm">
        <span className="match-figure">{marked("farm", count(member.farm))}</span>
        <PerMinute value={member.farmPerMinute} decimals={1} />
        <MiniBar value={member.farm} most={mostOf(match, "farm")} />
      </td>
      {hasItems && (
        <td className="match-items-cell">
          <Items items={member.items} />
        </td>
      )}
    </tr>
  );
}

function Value({ isHighest, children }: { isHighest: boolean; children: ReactNode }) {
  if (!isHighest) return children;
  return (
    <span className="match-highest">
      {children}
      <span className="visually-hidden"> (highest)</span>
    </span>
  );
}

function Items({ items }: { items: readonly string[] }) {
  if (items.length === 0) return <span className="match-detail">None</span>;
  return (
    <ul className="match-items">
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item may appear twice, and the order is fixed.
        <li key={at}>
          <ItemTile item={item} size={28} />
        </li>
      ))}
    </ul>
  );
}

function Level({ level }: { level: number | undefined }) {
  if (level === undefined) return null;
  return (
    <span className="match-level" title="Level">
      <span className="visually-hidden">Level </span>
      {count(level)}
    </span>
  );
}

/** Bots and anonymous players have no page. */
function Who({ member: { player }, shard }: { member: Member; shard: string }) {
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

function PerMinute({ value, decimals = 0 }: { value: number | undefined; decimals?: number }) {
  if (value === undefined) return null;
  const shown = decimals === 0 ? count(value) : value.toFixed(decimals);
  return <span className="match-detail">{shown} / min</span>;
}

/** A bar without a label; the number is shown next to it. */
function MiniBar({ value, most }: { value: number | undefined; most: number }) {
  const share = most > 0 ? Math.min(1, Math.max(0, (value ?? 0) / most)) : 0;
  return (
    <span className="match-mini-bar" aria-hidden="true">
      <span className="match-mini-bar-fill" style={{ width: `${share * 100}%` }} />
    </span>
  );
}

const Slash = () => <span className="match-slash">/</span>;
