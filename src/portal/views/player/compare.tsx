/** Compares the player with another one: lifetime records, last matches, and matches of both. */

import { useEffect, useRef } from "react";
import type { PlayedWith } from "../../../../client/src/index.ts";
import { useFamiliarPlayers } from "../../favourites.ts";
import { compact, count, counted, decimal, numberIn, share, tier } from "../../format.ts";
import type { Load } from "../../kit/load.ts";
import { Name } from "../../kit/name.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Problem } from "../../kit/states.tsx";
import { Avatar } from "../../kit/tile.tsx";
import { heroName } from "../../names.ts";
import { Link } from "../../router.ts";
import { PlayerField } from "../../search/player-field.tsx";
import { meanOf, resultsOf, tallies } from "./form.ts";
import { type MatchHistory, periodOf, useHistory } from "./history.ts";
import { type Known, usePlayer } from "./known.ts";

interface Side {
  player: Known;
  history: MatchHistory;
}

interface Props {
  shard: string;
  id: string;
  /** Undefined while it is loading. */
  player: Known | undefined;
  history: MatchHistory;
  playedWith: Load<readonly PlayedWith[]>;
  /** Undefined until a player is chosen. */
  otherId: string | undefined;
  /** Whether a player, or another one, is being chosen. */
  isPicking: boolean;
  /** Without a player, ends the comparison. */
  pick(id: string | undefined): void;
  pickAnother(): void;
}

export function Compare({ otherId, isPicking, pick, pickAnother, ...rest }: Props) {
  const { shard, id } = rest;
  const heading = useRef<HTMLHeadingElement>(null);
  // The field that was focused is gone when the choice ends.
  useEffect(() => {
    if (isPicking) return () => heading.current?.focus({ preventScroll: true });
  }, [isPicking]);
  return (
    <section className="card stack player-compare" aria-labelledby="compare-title">
      <div className="section-head">
        <h2 id="compare-title" ref={heading} tabIndex={-1}>
          Compare
        </h2>
        <div className="row">
          {otherId !== undefined && !isPicking && (
            <button type="button" className="button button-small" onClick={pickAnother}>
              Choose another player
            </button>
          )}
          <button type="button" className="button button-small" onClick={() => pick(undefined)}>
            Close
          </button>
        </div>
      </div>
      {isPicking ? (
        <Picker shard={shard} id={id} pick={pick} />
      ) : (
        otherId !== undefined && (
          <div className="stack player-comparison">
            <Comparison {...rest} otherId={otherId} />
          </div>
        )
      )}
    </section>
  );
}

function Picker({ shard, id, pick }: Pick<Props, "shard" | "id" | "pick">) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <div className="search search-plain">
      <PlayerField
        input={input}
        label="Compare with"
        placeholder="Compare with: player name"
        shard={shard}
        known={useFamiliarPlayers(shard)}
        except={id}
        onPick={(player) => pick(player.id)}
      />
    </div>
  );
}

type ComparisonProps = Omit<Props, "otherId" | "isPicking" | "pick" | "pickAnother"> & {
  otherId: string;
};

function Comparison({ shard, player, history, playedWith, otherId }: ComparisonProps) {
  const load = usePlayer(shard, otherId);
  const theirs = useHistory(shard, otherId);
  if (load.state === "failed") return <Problem error={load.error} retry={load.retry} />;
  if (!player || !load.value || theirs.isStarting || history.isStarting)
    return <Skeleton label="Loading the comparison" shape="rows" count={12} height={32} />;
  const sides = [
    { player, history },
    { player: load.value, history: theirs },
  ] as const;
  return (
    <>
      <Together name={player.name} together={playedWith.value?.find(({ id }) => id === otherId)} />
      <table className="player-compare-table">
        <caption className="visually-hidden">
          <Name>{player.name}</Name> and <Name>{load.value.name}</Name>
        </caption>
        <thead>
          <tr>
            <Head player={player} shard={shard} />
            <td />
            <Head player={load.value} shard={shard} />
          </tr>
        </thead>
        <Group titles={["Lifetime", "Lifetime"]} sides={sides} figures={LIFETIME} />
        <Group titles={[periodOf(history), periodOf(theirs)]} sides={sides} figures={LATELY} />
      </table>
      {theirs.state === "failed" && <Problem error={theirs.error} retry={theirs.retry} />}
    </>
  );
}

const Head = ({ player, shard }: { player: Known; shard: string }) => (
  <th scope="col">
    <Link className="player-compare-name" to={{ name: "player", shard, id: player.id }}>
      <Avatar id={player.id} name={player.name} size={32} />
      <Name className="cut">{player.name}</Name>
    </Link>
  </th>
);

/** A name, and the value as it is compared and as text. The higher one is marked, unless it says nothing. */
type Figure = readonly [
  name: string,
  value: (side: Side) => number | undefined,
  text: (value: number | undefined, side: Side) => string,
  isUnrated?: "unrated",
];

const stat = (key: string) => (side: Side) => numberIn(side.player.stats, key);
const [played, wins] = [stat("played"), stat("wins")];
const lately =
  (key: "ratio" | "goldPerMinute" | "farm") =>
  ({ history }: Side) =>
    meanOf(history.items.map((one) => one[key]));

const percent = (rate: number | undefined) => share(rate, 1);

const LIFETIME: readonly Figure[] = [
  ["Win rate", (side) => (played(side) ? (wins(side) ?? 0) / played(side)! : undefined), percent],
  ["Matches", played, count, "unrated"],
  ["Wins", wins, count],
  ["Ranked matches", stat("played_ranked"), count, "unrated"],
  ["Skill", stat("skillTier"), tier],
  ["Level", stat("level"), count],
  ["Gold", stat("lifetimeGold"), compact, "unrated"],
];

const LATELY: readonly Figure[] = [
  ["Win rate", ({ history }) => resultsOf(history.items).winRate, percent],
  ["K/D/A ratio", lately("ratio"), decimal],
  ["Gold per minute", lately("goldPerMinute"), count],
  ["Farm", lately("farm"), count],
  ["Most played hero", () => undefined, (_, side) => mostPlayed(side)],
];

function mostPlayed({ history }: Side): string {
  const [first] = tallies(history.items, ({ actor }) => actor);
  return first ? `${heroName(first.key)} (${first.played})` : "–";
}

interface GroupProps {
  /** What it covers, for each of the players. */
  titles: readonly [string, string];
  sides: readonly [Side, Side];
  figures: readonly Figure[];
}

function Group({ titles, sides, figures }: GroupProps) {
  return (
    <tbody>
      <tr className="player-compare-group">
        <td>{titles[0]}</td>
        <td />
        <td>{titles[1]}</td>
      </tr>
      {figures.map(([name, value, text, isUnrated]) => {
        const cell = (side: Side, against: Side) => {
          const [own, other] = [value(side), value(against)];
          const isHigher = !isUnrated && own !== undefined && other !== undefined && own > other;
          return (
            <td className={isHigher ? "player-higher" : ""}>
              {text(own, side)}
              {isHigher && <span className="visually-hidden"> (higher)</span>}
            </td>
          );
        };
        return (
          <tr key={name}>
            {cell(sides[0], sides[1])}
            <th scope="row">{name}</th>
            {cell(sides[1], sides[0])}
          </tr>
        );
      })}
    </tbody>
  );
}

/** The matches of both, from the list of those the player played with. */
function Together({ name, together }: { name: string; together: PlayedWith | undefined }) {
  if (!together) return null;
  const { with: allied, against } = together;
  return (
    <p>
      In the last 28 days, they played {counted(allied.matches, "match", "matches")} together and{" "}
      {counted(against.matches, "match", "matches")} against each other
      {against.matches > 0 && (
        <>
          , of which <Name>{name}</Name> won {against.wins}
        </>
      )}
      .
    </p>
  );
}
