/** The result of a match: who won, the score, and the totals of both sides. */

import { count } from "../../format.ts";
import { OutcomeMark } from "./outcome.tsx";
import type { Scoreboard, Side, Totals } from "./scoreboard.ts";

const ROWS: readonly [keyof Totals, string][] = [
  ["gold", "Gold"],
  ["farm", "Farm"],
  ["turrets", "Turrets"],
  ["aces", "Aces"],
  ["kraken", "Kraken"],
];

export function Result({ board }: { board: Scoreboard }) {
  const [left, right] = board.sides;
  if (!left || !right) return null;
  return (
    <section className="card match-result" aria-label="Result">
      <div className="match-sides">
        <Banner side={left} />
        <Score left={left} right={right} />
        <Banner side={right} />
      </div>
      <TotalsTable left={left} right={right} />
    </section>
  );
}

function Score({ left, right }: { left: Side; right: Side }) {
  const [own, other] = [left.totals.kills, right.totals.kills];
  if (own === undefined && other === undefined) {
    return <p className="match-score match-score-between">vs</p>;
  }
  return (
    <p className="match-score">
      <span className="visually-hidden">
        Kills: {left.name} {count(own)}, {right.name} {count(other)}
      </span>
      <span className="match-score-numbers" aria-hidden="true">
        {count(own)}
        <span className="match-score-between">:</span>
        {count(other)}
      </span>
      <span className="match-score-unit" aria-hidden="true">
        Kills
      </span>
    </p>
  );
}

function Banner({ side }: { side: Side }) {
  return (
    <div className={`match-banner match-${side.place}`}>
      <span className="match-side-name">
        {side.name} {side.tag && <Tag tag={side.tag} />}
      </span>
      <OutcomeMark outcome={side.outcome} />
    </div>
  );
}

export function Tag({ tag }: { tag: string }) {
  return (
    <span className="match-tag">
      <span className="visually-hidden">Team </span>
      {tag}
    </span>
  );
}

function TotalsTable({ left, right }: { left: Side; right: Side }) {
  const rows = ROWS.filter(
    ([key]) => left.totals[key] !== undefined || right.totals[key] !== undefined,
  );
  return (
    <table className="match-sums">
      <caption className="visually-hidden">Team totals</caption>
      <colgroup>
        <col />
        <col className="match-sums-label" />
        <col />
      </colgroup>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">{left.name}</th>
          <th scope="col">Total</th>
          <th scope="col">{right.name}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([key, label]) => {
          const most = Math.max(left.totals[key] ?? 0, right.totals[key] ?? 0);
          return (
            <tr key={key}>
              <td>
                <Total side={left} value={left.totals[key]} most={most} />
              </td>
              <th scope="row">{label}</th>
              <td>
                <Total side={right} value={right.totals[key]} most={most} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Total({ side, value, most }: { side: Side; value: number | undefined; most: number }) {
  const isMore = value !== undefined && value === most && most > 0;
  return (
    <span className={`match-sum match-${side.place}${isMore ? " match-sum-more" : ""}`}>
      <span className="match-sum-value">{count(value)}</span>
      <MiniBar value={value} most={most} />
    </span>
  );
}

/** A bar without a label; the number is shown next to it. */
export function MiniBar({ value, most }: { value: number | undefined; most: number }) {
  const share = most > 0 ? Math.min(1, Math.max(0, (value ?? 0) / most)) : 0;
  return (
    <span className="match-mini-bar" aria-hidden="true">
      <span className="match-mini-bar-fill" style={{ width: `${share * 100}%` }} />
    </span>
  );
}
