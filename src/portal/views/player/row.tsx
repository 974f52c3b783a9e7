/** One match of the history: result, hero, score, gold, items and both line-ups. */

import { count, decimal, durationText } from "../../format.ts";
import { Name } from "../../kit/name.tsx";
import { HeroTile, ItemTile } from "../../kit/tile.tsx";
import { localTime } from "../../kit/time.tsx";
import { type Appearance, type Member, OUTCOME_NAMES, type Side } from "../../match.ts";
import { heroName, modeName } from "../../names.ts";
import { Link } from "../../router.ts";

/** How many items and members of a side fit. */
const ITEMS = 6;
const MEMBERS = 5;

const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

interface Props {
  appearance: Appearance;
  shard: string;
}

export function MatchRow({ appearance, shard }: Props) {
  const { id, outcome, actor, mode, duration, createdAt, sides } = appearance;
  return (
    <li className={`player-row player-${outcome}`}>
      <div className="player-row-result">
        {/* The link covers the row. */}
        <Link className="player-row-link link-row" to={{ name: "match", shard, id }}>
          {OUTCOME_NAMES[outcome]}
          <span className="visually-hidden">
            : {modeName(mode)} with {heroName(actor)}
          </span>
        </Link>
        <span className="cut player-row-mode">{modeName(mode)}</span>
        <span className="note player-row-when">
          {!Number.isNaN(Date.parse(createdAt)) && (
            <time dateTime={createdAt} title={localTime(createdAt)}>
              {timeOfDay.format(new Date(createdAt))}
            </time>
          )}{" "}
          <span>{durationText(duration)}</span>
        </span>
      </div>
      <div className="player-row-hero">
        <HeroTile actor={actor} size={44} isDecorative />
        <span className="cut player-row-name">{heroName(actor)}</span>
      </div>
      <Score {...appearance} />
      <div className="player-row-gold" title={`${count(appearance.gold)} gold in all`}>
        <span className="player-figure">{count(appearance.goldPerMinute)}</span>
        <span className="note">gold/min</span>
      </div>
      <Items items={appearance.items} />
      <div className="player-row-lineups">
        {sides.map((side) => (
          <LineupList key={side.id} side={side} self={appearance.self} shard={shard} />
        ))}
      </div>
    </li>
  );
}

function Score({ kills, deaths, assists, ratio }: Appearance) {
  return (
    <div className="player-row-score">
      <span className="player-figure">
        <span className="visually-hidden">Kills, deaths, assists: </span>
        {count(kills)} <span className="player-slash">/</span> {count(deaths)}{" "}
        <span className="player-slash">/</span> {count(assists)}
      </span>
      <span className="note" title="Kills and assists per death; no death counts as one">
        {decimal(ratio)} ratio
      </span>
    </div>
  );
}

function Items({ items }: { items: readonly string[] }) {
  return (
    <ul className="row player-row-items" aria-label={items.length === 0 ? "No items" : "Items"}>
      {items.slice(0, ITEMS).map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item can appear twice.
        <li key={at}>
          <ItemTile item={item} size={24} />
        </li>
      ))}
      {Array.from({ length: Math.max(0, ITEMS - items.length) }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the places are identical.
        <li key={`empty-${at}`} className="player-no-item" aria-hidden="true" />
      ))}
      {items.length > ITEMS && <li className="note">+{items.length - ITEMS}</li>}
    </ul>
  );
}

function LineupList({ side, self, shard }: { side: Side; self: Member; shard: string }) {
  const { members, name, colour } = side;
  const shown = fewest(members, self);
  return (
    <ul className={`player-lineup player-lineup-${colour}`} aria-label={name}>
      {shown.map(({ id, actor, player }) => (
        <li key={id}>
          <HeroTile actor={actor} size={20} />
          {!player && <span className="note cut">Bot or anonymous</span>}
          {player && id === self.id && <Name className="cut player-self">{player.name}</Name>}
          {player && id !== self.id && (
            <Link className="link-plain target cut" to={{ name: "player", shard, id: player.id }}>
              <Name>{player.name}</Name>
            </Link>
          )}
        </li>
      ))}
      {members.length > shown.length && (
        <li className="note">+{members.length - shown.length} more</li>
      )}
      {members.length === 0 && <li className="note">Nobody</li>}
    </ul>
  );
}

/** The first members; the player is always among them. */
function fewest(members: readonly Member[], self: Member): readonly Member[] {
  const first = members.slice(0, MEMBERS);
  return members.includes(self) && !first.includes(self) ? [self, ...first.slice(1)] : first;
}

/** "Won with Ivo, 14 Mar 2026, 18:30". */
export function inWords({ outcome, hero, createdAt }: Appearance): string {
  const when = Number.isNaN(Date.parse(createdAt)) ? "" : `, ${localTime(createdAt)}`;
  return `${OUTCOME_NAMES[outcome]} with ${hero}${when}`;
}

/** Rows without content, while matches are loading. */
export function EmptyRows({ count: rows }: { count: number }) {
  return (
    <div className="loading stack player-rows" role="status">
      <span className="visually-hidden">Loading matches</span>
      {Array.from({ length: rows }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical.
        <div key={at} className="player-row player-row-empty" aria-hidden="true">
          {["result", "hero", "score", "gold", "items", "lineups"].map((part) => (
            <span key={part} className={`loading-line player-row-${part}`} />
          ))}
        </div>
      ))}
    </div>
  );
}
