/** The cards beside the matches: results by hero and by mode, played with, and all other stats. */

import { type ReactNode, useState } from "react";
import type { PlayedWith as OtherPlayer } from "../../../../client/src/index.ts";
import { PRIVATE_MODE } from "../../../domain/modes.ts";
import { counted, decimal, numberIn, share } from "../../format.ts";
import { Bar } from "../../kit/bar.tsx";
import type { Load } from "../../kit/load.ts";
import { Name } from "../../kit/name.tsx";
import { Pairs } from "../../kit/pairs.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Problem } from "../../kit/states.tsx";
import { Avatar, HeroTile } from "../../kit/tile.tsx";
import type { Appearance } from "../../match.ts";
import { heroName, modeName, playerName } from "../../names.ts";
import { Link } from "../../router.ts";
import { otherValues } from "../match/extras.ts";
import { tallies } from "./form.ts";
import { type MatchHistory, periodOf } from "./history.ts";
import type { Known } from "./known.ts";

/** How many rows to show at first. */
const FIRST = 5;

interface CardProps {
  id: string;
  title: string;
  note: ReactNode;
  children: ReactNode;
}

export function Card({ id, title, note, children }: CardProps) {
  return (
    <section id={id} className="card stack player-card" aria-labelledby={`${id}-title`}>
      <div className="section-head">
        <h2 id={`${id}-title`}>{title}</h2>
        <p className="note">{note}</p>
      </div>
      {children}
    </section>
  );
}

const KINDS = {
  heroes: { title: "Heroes", keyOf: ({ actor }: Appearance) => actor, nameOf: heroName },
  modes: { title: "Modes", keyOf: ({ mode }: Appearance) => mode, nameOf: modeName },
};

/** In the matches that are loaded. */
export function Tallies({ by, history }: { by: keyof typeof KINDS; history: MatchHistory }) {
  const [isComplete, setComplete] = useState(false);
  const { title, keyOf, nameOf } = KINDS[by];
  const rows = tallies(history.items, keyOf);
  return (
    <Card id={by} title={title} note={periodOf(history)}>
      {history.isStarting ? (
        <Skeleton label={`Loading ${by}`} shape="rows" count={FIRST} height={32} />
      ) : (
        <Results head="Name and K/D/A ratio">
          {(isComplete ? rows : rows.slice(0, FIRST)).map(({ key, won, lost, ratio, ...row }) => (
            <Result
              key={key}
              {...row}
              title={`${counted(won, "win")}, ${counted(lost, "loss", "losses")}`}
            >
              <span className="player-tally-name">
                {by === "heroes" && <HeroTile actor={key} size={32} isDecorative />}
                <span className="player-tally-text">
                  <span className="cut" title={nameOf(key)}>
                    {nameOf(key)}
                  </span>{" "}
                  <span className="note">{decimal(ratio)} K/D/A</span>
                </span>
              </span>
            </Result>
          ))}
        </Results>
      )}
      {rows.length > FIRST && (
        <button
          type="button"
          className="button button-small"
          aria-expanded={isComplete}
          onClick={() => setComplete(!isComplete)}
        >
          {isComplete ? "Show fewer" : `Show all ${rows.length}`}
        </button>
      )}
    </Card>
  );
}

/** With whom and against whom a player played most. */
export function PlayedWith({ load, shard }: { load: Load<readonly OtherPlayer[]>; shard: string }) {
  return (
    <Card
      id="played-with"
      title="Played with and against"
      note={`Last 28 days, without the mode ${modeName(PRIVATE_MODE)}`}
    >
      {load.state === "failed" ? (
        <Problem error={load.error} retry={load.retry} />
      ) : load.value === undefined ? (
        <Skeleton label="Loading other players" shape="rows" count={2 * FIRST} height={24} />
      ) : (
        <>
          <h3>With</h3>
          <Others how="with" others={load.value} shard={shard} />
          <h3>Against</h3>
          <Others how="against" others={load.value} shard={shard} />
        </>
      )}
    </Card>
  );
}

interface OthersProps {
  how: "with" | "against";
  others: readonly OtherPlayer[];
  shard: string;
}

function Others({ how, others, shard }: OthersProps) {
  const most = others
    .map((one) => ({ id: one.id, name: playerName(one.name), ...one[how] }))
    .filter(({ matches }) => matches > 0)
    .sort((one, other) => other.matches - one.matches)
    .slice(0, FIRST);
  if (most.length === 0) return <p className="note">Nobody in this period.</p>;
  return (
    <Results head="Player">
      {most.map(({ id, name, matches, wins }) => (
        <Result
          key={id}
          played={matches}
          winRate={wins / matches}
          title={`${wins} won of ${matches}`}
        >
          <Link className="player-tally-name link-plain" to={{ name: "player", shard, id }}>
            <Avatar id={id} name={name} size={28} />
            <Name className="cut">{name}</Name>
          </Link>
        </Result>
      ))}
    </Results>
  );
}

const Results = ({ head, children }: { head: string; children: ReactNode }) => (
  <table className="player-tallies">
    <thead className="visually-hidden">
      <tr>
        <th scope="col">{head}</th>
        <th scope="col">Matches</th>
        <th scope="col">Win rate</th>
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);

interface ResultProps {
  played: number;
  winRate: number | undefined;
  /** Of the win rate. */
  title: string;
  children: ReactNode;
}

const Result = ({ played, winRate, title, children }: ResultProps) => (
  <tr>
    <th scope="row">{children}</th>
    <td>{counted(played, "match", "matches")}</td>
    <td title={title}>
      {share(winRate, 1)}
      <Bar value={winRate} of={1} />
    </td>
  </tr>
);

/** Shown in the band if they are numbers. */
const SHOWN = [
  "played",
  "wins",
  "played_ranked",
  "winStreak",
  "lossStreak",
  "lifetimeGold",
  "level",
  "skillTier",
];

/** All other stats, such as season ratings. */
export function MoreStats({ player: { attributes, stats } }: { player: Known }) {
  const values = [
    // A value of an unexpected type has no place in the band, so it is shown here.
    ...otherValues(
      stats,
      SHOWN.filter((key) => numberIn(stats, key) !== undefined),
    ),
    ...otherValues(attributes, ["name", "patchVersion", "shardId", "stats"]),
  ];
  if (values.length === 0) return null;
  return (
    <section className="card stack player-card" aria-labelledby="more-title">
      <h2 id="more-title">More stats</h2>
      <Pairs pairs={values} className="player-pairs small" />
    </section>
  );
}
