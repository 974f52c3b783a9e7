/** Compares the player with another one: lifetime records, last matches, and matches of both. */

import { useEffect, useRef } from "react";
import type { Company } from "../../../../client/src/index.ts";
import { useFamiliarPlayers } from "../../favourites.ts";
import { compact, count, counted, numberIn, tier } from "../../format.ts";
import type { Load } from "../../kit/load.ts";
import { Name } from "../../kit/name.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Problem } from "../../kit/states.tsx";
import { Avatar } from "../../kit/tile.tsx";
import { heroName } from "../../names.ts";
import { Link } from "../../router.ts";
import { PlayerField } from "../../search/player-field.tsx";
import { decimal, percent } from "./figures.ts";
import { meanOf, resultsOf, tallies } from "./form.ts";
import { type MatchHistory, useHistory } from "./history.ts";
import { type Known, usePlayer } from "./known.ts";
import { periodOf } from "./matches.tsx";

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
  company: Load<readonly Company[]>;
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
  const isFirst = useRef(true);
  // The field that was focused is gone.
  useEffect(() => {
    if (!isFirst.current && !isPicking) heading.current?.focus({ preventScroll: true });
    isFirst.current = false;
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

interface PickerProps {
  shard: string;
  /** The player of the page. */
  id: string;
  pick(id: string): void;
}

function Picker({ shard, id, pick }: PickerProps) {
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

type ComparisonProps = Pick<Props, "shard" | "player" | "history" | "company"> & {
  otherId: string;
};

function Comparison({ shard, player, history, company, otherId }: ComparisonProps) {
  const load = usePlayer(shard, otherId);
  const theirs = useHistory(shard, otherId);
  if (load.state === "failed") return <Problem error={load.error} retry={load.retry} />;
  if (!player || !load.value || theirs.isStarting || history.isStarting)
    return <Skeleton label="Loading the comparison" shape="rows" count={12} height={32} />;
  const own: Side = { player, history };
  const other: Side = { player: load.value, history: theirs };
  return (
    <>
      <Together name={player.name} company={company.value?.find(({ id }) => id === otherId)} />
      <table className="player-compare-table">
        <caption className="visually-hidden">
          <Name>{player.name}</Name> and <Name>{load.value.name}</Name>
        </caption>
        <thead>
          <tr>
            <Head side={own} shard={shard} />
            <td />
            <Head side={other} shard={shard} />
          </tr>
        </thead>
        <Group title="Lifetime" own={own} other={other} figures={LIFETIME} />
        <Group
          title={periodOf(history)}
          otherTitle={periodOf(theirs)}
          own={own}
          other={other}
          figures={LATELY}
        />
      </table>
      {theirs.state === "failed" && <Problem error={theirs.error} retry={theirs.retry} />}
    </>
  );
}

const Head = ({ side: { player }, shard }: { side: Side; shard: string }) => (
  <th scope="col">
    <Link className="player-compare-name" to={{ name: "player", shard, id: player.id }}>
      <Avatar id={player.id} name={player.name} size={32} />
      <Name className="cut">{player.name}</Name>
    </Link>
  </th>
);

interface Figure {
  name: string;
  value(side: Side): number | undefined;
  text(value: number | undefined, side: Side): string;
  /** Whether the higher one is marked. */
  isRated: boolean;
}

const figure = (
  name: string,
  value: Figure["value"],
  text: Figure["text"] = count,
  isRated = true,
): Figure => ({ name, value, text, isRated });

const stat = (key: string) => (side: Side) => numberIn(side.player.stats, key);
const [played, wins] = [stat("played"), stat("wins")];
const lately =
  (key: "ratio" | "goldPerMinute" | "farm") =>
  ({ history }: Side) =>
    meanOf(history.items.map((one) => one[key]));

const LIFETIME: readonly Figure[] = [
  figure(
    "Win rate",
    (side) => (played(side) ? (wins(side) ?? 0) / played(side)! : undefined),
    percent,
  ),
  figure("Matches", played, count, false),
  figure("Wins", wins),
  figure("Ranked matches", stat("played_ranked"), count, false),
  figure("Skill", stat("skillTier"), tier),
  figure("Level", stat("level")),
  figure("Gold", stat("lifetimeGold"), compact, false),
];

const LATELY: readonly Figure[] = [
  figure("Win rate", ({ history }) => resultsOf(history.items).winRate, percent),
  figure("K/D/A ratio", lately("ratio"), decimal),
  figure("Gold per minute", lately("goldPerMinute")),
  figure("Farm", lately("farm")),
  figure(
    "Most played hero",
    () => undefined,
    (_, side) => mostPlayed(side),
  ),
];

function mostPlayed({ history }: Side): string {
  const [first] = tallies(history.items, ({ actor }) => actor);
  return first ? `${heroName(first.key)} (${first.played})` : "–";
}

interface GroupProps {
  title: string;
  /** The period of the other player, if it differs. */
  otherTitle?: string;
  own: Side;
  other: Side;
  figures: readonly Figure[];
}

function Group({ title, otherTitle = title, own, other, figures }: GroupProps) {
  return (
    <tbody>
      <tr className="player-compare-group">
        <td>{title}</td>
        <td />
        <td>{otherTitle}</td>
      </tr>
      {figures.map(({ name, text, value, isRated }) => {
        const [left, right] = [value(own), value(other)];
        const isKnown = isRated && left !== undefined && right !== undefined;
        return (
          <tr key={name}>
            <Value text={text(left, own)} isHigher={isKnown && left > right} />
            <th scope="row">{name}</th>
            <Value text={text(right, other)} isHigher={isKnown && right > left} />
          </tr>
        );
      })}
    </tbody>
  );
}

const Value = ({ text, isHigher }: { text: string; isHigher: boolean }) => (
  <td className={isHigher ? "player-higher" : ""}>
    {text}
    {isHigher && <span className="visually-hidden"> (higher)</span>}
  </td>
);

/** The matches of both, from the list of those the player played with. */
function Together({ name, company }: { name: string; company: Company | undefined }) {
  if (!company) return null;
  const { with: together, against } = company;
  return (
    <p>
      In the last 28 days, they played {counted(together.matches, "match", "matches")} together and{" "}
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
