/** The player page: lifetime record, match history, heroes, modes, played with and comparison of one player. */

import { useEffect, useState } from "react";
import { isolated } from "../../../text/isolated.ts";
import { useFavourites, useRecentPlayers } from "../../favourites.ts";
import { Live, type Liveness, useChanges } from "../../kit/changes.tsx";
import { type Load, useLoad } from "../../kit/load.ts";
import { usePageHead } from "../../kit/page.tsx";
import { FailedPage, KeyPage } from "../../kit/record-page.tsx";
import { Time } from "../../kit/time.tsx";
import { navigate } from "../../router.ts";
import { Band } from "./band.tsx";
import { MoreStats, PlayedWith, Tallies } from "./cards.tsx";
import { Compare } from "./compare.tsx";
import { useHistory } from "./history.ts";
import { type Known, usePlayer, useRanks } from "./known.ts";
import { Matches } from "./matches.tsx";
import { optionsOf, type PlayerOptions, searchOf } from "./options.ts";
import { OverTime } from "./over-time.tsx";
import "./view.css";
import "./matches.css";
import "./cards.css";

interface Props {
  shard: string;
  id: string;
  /** The query of the page's URL: the player to compare with, and the filters of the matches. */
  search?: URLSearchParams | undefined;
}

export default function Player(props: Props) {
  return (
    <KeyPage kind="Player">
      <WithAccess {...props} />
    </KeyPage>
  );
}

function WithAccess(props: Props) {
  const { shard, id } = props;
  const load = usePlayer(shard, id);
  if (load.state === "failed" && load.value === undefined)
    return <FailedPage kind="Player" load={load} shard={shard} />;
  return <Profile {...props} load={load} />;
}

function Profile({ shard, id, search, load }: Props & { load: Load<Known> }) {
  const player = load.value;
  const heading = usePageHead(player ? isolated(player.name) : "Player");
  const history = useHistory(shard, id);
  const ranks = useRanks(shard, player);
  const playedWith = useLoad(`played with ${shard} ${id}`, (matchbook, signal) =>
    matchbook.shard(shard).playedWith(id, { limit: 50, signal }),
  );
  const refreshRecord = () => {
    load.retry();
    playedWith.retry();
  };
  const liveness = useChanges({
    shard,
    player: id,
    isReady: history.first !== undefined && !history.isStarting,
    refresh: async () => (await history.refresh()) && refreshRecord(),
    onRemoved(match) {
      history.remove(match);
      refreshRecord();
    },
  });
  const [isPicking, setPicking] = useState(false);
  const { remember } = useRecentPlayers();
  const name = player?.name;
  useEffect(() => {
    if (name !== undefined) remember({ shard, id, name });
  }, [remember, shard, id, name]);

  const options = optionsOf(search);
  const otherId = options.compare === id ? undefined : options.compare;
  const isComparing = isPicking || otherId !== undefined;
  const compareWith = (other: string | undefined) => {
    setPicking(false);
    if (other !== otherId) change({ compare: other }, "push");
  };
  const change = (changes: Partial<PlayerOptions>, how: "push" | "replace") =>
    navigate({ name: "player", shard, id, search: searchOf({ ...options, ...changes }) }, how);
  return (
    <div className="stack tall player-page">
      <Band
        {...{ shard, id, player, heading, history, ranks }}
        updated={
          <Updated
            at={Math.min(load.at ?? Number.NaN, history.at ?? Number.NaN)}
            liveness={liveness}
            refresh={() => {
              refreshRecord();
              // What fails here fails above too, and is reported there.
              history.refresh().catch(() => {});
            }}
          />
        }
        actions={
          <>
            <FavouriteButton shard={shard} id={id} name={player?.name} />
            <button
              type="button"
              className="button button-small"
              aria-expanded={isComparing}
              onClick={() => (isComparing ? compareWith(undefined) : setPicking(true))}
            >
              Compare
            </button>
          </>
        }
      />
      {isComparing && (
        <Compare
          {...{ shard, id, player, history, playedWith, isPicking }}
          otherId={otherId}
          pick={compareWith}
          pickAnother={() => setPicking(true)}
        />
      )}
      <nav className="row player-jump" aria-label="On this page">
        {PARTS.map(([part, label]) => (
          <a key={part} className="frame small" href={`#${part}`}>
            {label}
          </a>
        ))}
      </nav>
      <div className="stack player-columns">
        <Matches
          {...{ history, shard, id }}
          mode={options.mode}
          hero={options.hero}
          onChange={(changes) => change(changes, "replace")}
        />
        <div className="stack player-side">
          <OverTime history={history} />
          <Tallies by="heroes" history={history} />
          <Tallies by="modes" history={history} />
          <PlayedWith load={playedWith} shard={shard} />
          {player && <MoreStats player={player} />}
        </div>
      </div>
    </div>
  );
}

interface UpdatedProps {
  /** In milliseconds; not a number until everything is loaded. */
  at: number;
  liveness: Liveness;
  refresh(): void;
}

function Updated({ at, liveness, refresh }: UpdatedProps) {
  return (
    <p className="row player-updated">
      {at > 0 && (
        <span className="note">
          Updated <Time iso={new Date(at).toISOString()} />
        </span>
      )}
      <button type="button" className="button button-small" onClick={refresh}>
        Refresh
      </button>
      <Live liveness={liveness} />
    </p>
  );
}

/** On narrow screens the parts are below each other, and the history is long. */
const PARTS = [
  ["matches", "Matches"],
  ["over-time", "Over time"],
  ["heroes", "Heroes"],
  ["modes", "Modes"],
  ["played-with", "Played with"],
] as const;

interface FavouriteProps {
  shard: string;
  id: string;
  /** Undefined until the player is loaded. */
  name: string | undefined;
}

function FavouriteButton({ shard, id, name }: FavouriteProps) {
  const { has, toggle } = useFavourites();
  const isFavourite = has(shard, id);
  return (
    <button
      type="button"
      className="button button-small"
      aria-pressed={isFavourite}
      onClick={() => name !== undefined && toggle({ shard, id, name })}
    >
      <span aria-hidden="true">{isFavourite ? "★" : "☆"}</span> Favourite
    </button>
  );
}
