/** The result of a match: who won, the score, and the totals of both sides. */

import { count } from "../../format.ts";
import { Name } from "../../kit/name.tsx";
import { HeroTile } from "../../kit/tile.tsx";
import { type Match, OUTCOME_NAMES, type Side, type Totals } from "../../match.ts";

const COMPARED: readonly [keyof Totals, string][] = [
  ["gold", "Gold"],
  ["farm", "Farm"],
  ["turrets", "Turrets"],
  ["aces", "Aces"],
  ["kraken", "Kraken"],
];

/** More would not fit beside the score. */
const SHOWN_HEROES = 5;

export function Result({ match }: { match: Match }) {
  const [left, right] = match.sides;
  if (!left || !right) return null;
  const compared = COMPARED.filter(
    ([key]) => left.totals[key] !== undefined || right.totals[key] !== undefined,
  );
  return (
    <section className="card stack match-result" aria-label="Result">
      <div className="match-banners">
        <Banner side={left} />
        <Score left={left} right={right} />
        <Banner side={right} />
      </div>
      {compared.length > 0 && (
        <ul className="match-totals" aria-label="Team totals">
          {compared.map(([key, label]) => (
            <Compared key={key} label={label} name={key} left={left} right={right} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Banner({ side }: { side: Side }) {
  return (
    <div className={`match-banner match-${side.colour}`}>
      <span className="match-banner-words">
        <SideName side={side} />
      </span>
      <span className="match-banner-heroes">
        {side.members.slice(0, SHOWN_HEROES).map(({ id, actor }) => (
          <HeroTile key={id} actor={actor} size={44} isDecorative />
        ))}
      </span>
    </div>
  );
}

/** With the outcome as a word and a symbol, not by colour alone. */
export function SideName({ side: { name, tag, outcome } }: { side: Side }) {
  return (
    <>
      <span className="match-side-name">
        {name}{" "}
        {tag && (
          <span className="match-tag">
            <span className="visually-hidden">Team </span>
            <Name>{tag}</Name>
          </span>
        )}
      </span>
      <span className={`match-outcome match-outcome-${outcome}`}>
        {outcome === "won" && <span aria-hidden="true">★ </span>}
        {OUTCOME_NAMES[outcome]}
      </span>
    </>
  );
}

function Score({ left, right }: { left: Side; right: Side }) {
  const [own, other] = [left.totals.kills, right.totals.kills];
  if (own === undefined && other === undefined) {
    return <p className="note match-score">vs</p>;
  }
  return (
    <p className="match-score">
      <span className="visually-hidden">
        Kills: {left.name} {count(own)}, {right.name} {count(other)}
      </span>
      <span className="match-score-numbers" aria-hidden="true">
        <span className={`match-${left.colour}`}>{count(own)}</span>
        <span className="match-score-between">:</span>
        <span className={`match-${right.colour}`}>{count(other)}</span>
      </span>
      <span className="note" aria-hidden="true">
        Kills
      </span>
    </p>
  );
}

interface ComparedProps {
  label: string;
  name: keyof Totals;
  left: Side;
  right: Side;
}

/** One total of both sides, as a bar that they share. */
function Compared({ label, name, left, right }: ComparedProps) {
  const [own, other] = [left.totals[name], right.totals[name]];
  const all = Math.max(0, own ?? 0) + Math.max(0, other ?? 0);
  const leads = (value = 0, against = 0) => (value > against ? "match-total-more" : "soft");
  return (
    <li className="match-total">
      <span className="visually-hidden">
        {label}: {left.name} {count(own)}, {right.name} {count(other)}
      </span>
      <span className={leads(own, other)} aria-hidden="true">
        {count(own)}
      </span>
      <span className="note" aria-hidden="true">
        {label}
      </span>
      <span className={leads(other, own)} aria-hidden="true">
        {count(other)}
      </span>
      <span className="bar" aria-hidden="true">
        {all > 0 &&
          [left, right].map((side) => (
            <span
              key={side.id}
              className={`match-${side.colour}`}
              style={{ flexGrow: Math.max(0, side.totals[name] ?? 0) / all }}
            />
          ))}
      </span>
    </li>
  );
}
