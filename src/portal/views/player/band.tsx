/** The head of the player page: who it is, lifetime record, form and actions. */

import type { ReactNode, RefObject } from "react";
import { compact, count, numberIn, type Stats, tier } from "../../format.ts";
import { ApiMenu } from "../../kit/api-menu.tsx";
import { CopyButton } from "../../kit/copy.tsx";
import { FormStrip, Streak } from "../../kit/form.tsx";
import { Name } from "../../kit/name.tsx";
import { Ring } from "../../kit/ring.tsx";
import { Avatar } from "../../kit/tile.tsx";
import { Link } from "../../router.ts";
import { resultsInWords, resultsOf, streakIn } from "./form.ts";
import type { MatchHistory } from "./history.ts";
import type { Known, Rank } from "./known.ts";
import { inWords } from "./row.tsx";

/** How many results the form strip shows. */
const FORM = 10;

interface Props {
  shard: string;
  id: string;
  /** Undefined while it is loading. */
  player: Known | undefined;
  heading: RefObject<HTMLHeadingElement | null>;
  history: MatchHistory;
  ranks: readonly Rank[];
  /** How old this is. */
  updated: ReactNode;
  actions: ReactNode;
}

export function Band({ shard, id, player, heading, history, ranks, updated, actions }: Props) {
  const stats = player?.stats;
  const [skill, level] = [numberIn(stats ?? {}, "skillTier"), numberIn(stats ?? {}, "level")];
  const path = `/shards/${encodeURIComponent(shard)}/players/${encodeURIComponent(id)}`;
  return (
    <header className="card stack player-band" aria-busy={player === undefined}>
      <div className="player-who">
        <Avatar id={id} name={player?.name ?? ""} size={80} />
        <h1 ref={heading} tabIndex={-1} className="page-title player-name">
          <Name>{player?.name ?? "Player"}</Name>
        </h1>
        <ul className="row small player-facts">
          <li>{shard.toUpperCase()}</li>
          {/* Only what the record has. */}
          {skill !== undefined && <li>{tier(skill)}</li>}
          {level !== undefined && <li>Level {count(level)}</li>}
          {player?.patch !== undefined && <li>Patch {player.patch}</li>}
          {ranks.map(({ board, rank, by }) => (
            <li key={board}>
              <Link
                to={{ name: "leaderboard", shard, board, search: new URLSearchParams() }}
                title={`Rank ${count(rank)} in ${shard.toUpperCase()}`}
              >
                #{count(rank)} {by}
              </Link>
            </li>
          ))}
        </ul>
        {updated}
      </div>
      <div className="row player-actions">
        {actions}
        <CopyButton text={location.href} label="Copy link to this page">
          Copy link
        </CopyButton>
        <ApiMenu id={id} path={path} />
      </div>
      <div className="player-record">
        <Lifetime stats={stats} />
        <Form history={history} stats={stats} shard={shard} />
      </div>
    </header>
  );
}

/** The same figures, without values, until the player is loaded. */
function Lifetime({ stats }: { stats: Stats | undefined }) {
  const of = (key: string) => (stats ? numberIn(stats, key) : undefined);
  const [played, wins, gold] = [of("played"), of("wins"), of("lifetimeGold")];
  const rate = wins === undefined || !played || played < 0 ? undefined : wins / played;
  const figures: [string, string, string?][] = [
    ["Matches", count(played)],
    ["Wins", count(wins)],
    ["Ranked", count(of("played_ranked"))],
    ["Gold", compact(gold), count(gold)],
  ];
  return (
    <section className="player-lifetime" aria-labelledby="lifetime-title">
      <Ring value={rate} label="Win rate" size={96} />
      <div>
        <h2 id="lifetime-title" className="label">
          Lifetime
        </h2>
        <dl className="facts player-figures">
          {figures.map(([name, text, title]) => (
            <div key={name}>
              <dd title={title}>{stats ? text : "\u00a0"}</dd>
              <dt>{name}</dt>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}

function Form({
  history,
  stats,
  shard,
}: Pick<Props, "history" | "shard"> & { stats: Stats | undefined }) {
  const last = history.items.slice(0, FORM);
  return (
    <section className="stack player-form" aria-labelledby="form-title">
      <div className="section-head">
        <h2 id="form-title" className="label">
          Form
        </h2>
        {stats ? <Streak run={streakIn(stats)} /> : <span className="streak">{"\u00a0"}</span>}
      </div>
      <FormStrip
        places={FORM}
        results={last.map((one) => ({
          outcome: one.outcome,
          label: inWords(one),
          to: { name: "match", shard, id: one.id },
        }))}
      />
      <p className="note">
        {last.length === 0 ? "\u00a0" : `${resultsInWords(resultsOf(last))}, newest first`}
      </p>
    </section>
  );
}
