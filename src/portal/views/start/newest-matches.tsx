/** The newest matches of a region, one row each: who played whom, and who won. */

import { type FocusEvent, type PointerEvent, useState } from "react";
import { isolated } from "../../../text/isolated.ts";
import { count, durationText } from "../../format.ts";
import { Live, useChanges } from "../../kit/changes.tsx";
import { usePages } from "../../kit/load.ts";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Empty, Problem } from "../../kit/states.tsx";
import { HeroTile } from "../../kit/tile.tsx";
import { Time } from "../../kit/time.tsx";
import { MATCHES_PER_PAGE, type Match, matchOf, type Readable, type Side } from "../../match.ts";
import { modeName } from "../../names.ts";
import type { Region } from "../../page-data.ts";
import { Link } from "../../router.ts";

const SHOWN = 10;
/** Without a filter, the API returns matches of the last four weeks. */
const WINDOW_MS = 27 * 86_400_000;

/** What a row shows, since whole matches are ten times larger. */
const FIELDS = {
  match: ["createdAt", "duration", "gameMode", "rosters"],
  roster: ["won", "stats", "participants"],
  participant: ["actor", "player"],
  player: ["name"],
};

export function NewestMatches({ region }: { region: Region }) {
  const list = useNewest(region);
  const { state, refresh, remove } = list;
  const liveness = useChanges({
    shard: region.id,
    isReady: list.first !== undefined && !list.isStarting,
    refresh,
    onRemoved: remove,
  });
  const { shown, hold } = useHeld(list.items.slice(0, SHOWN));
  return (
    <section className="start-matches" aria-labelledby="start-matches">
      <div className="section-head start-head">
        <h2 id="start-matches">Newest matches</h2>
        <Live liveness={liveness} />
      </div>
      {state === "failed" && <Problem error={list.error} retry={list.retry} />}
      {list.isStarting && (
        <Skeleton label="Loading the newest matches" shape="rows" count={SHOWN} />
      )}
      {state === "ready" && shown.length === 0 && (
        <Empty title="No matches in this region yet">
          <p>Matches appear when they end. Try another region in the meantime.</p>
        </Empty>
      )}
      {!list.isStarting && shown.length > 0 && (
        <ol className="start-rows" {...hold}>
          {shown.map((match) => (
            <li key={match.id} className="start-row">
              <Row match={match} shard={region.id} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function useNewest({ id, newestMatch }: Region) {
  // A region may have been quiet for longer than the window of the API.
  const newest = newestMatch ? Date.parse(newestMatch) : Date.now();
  const isOld = newest < Date.now() - WINDOW_MS;
  return usePages(`newest ${id}`, {
    step: SHOWN,
    pageSize: MATCHES_PER_PAGE,
    pageAt: (matchbook, offset, signal) =>
      matchbook
        .shard(id)
        .matches({
          sort: "-createdAt",
          limit: MATCHES_PER_PAGE,
          offset,
          fields: FIELDS,
          createdAtStart: isOld ? new Date(newest - WINDOW_MS).toISOString() : undefined,
          signal,
        })
        .page(),
    read: (match: Readable) => matchOf(match),
  });
}

/** The list stays as it is while the visitor points at it or has the focus in it. */
function useHeld<T>(list: readonly T[]) {
  const [held, setHeld] = useState<readonly T[]>();
  const start = () => setHeld((now) => now ?? list);
  return {
    shown: held ?? list,
    hold: {
      onPointerEnter: start,
      onPointerLeave({ currentTarget }: PointerEvent) {
        if (!currentTarget.contains(document.activeElement)) setHeld(undefined);
      },
      onFocus: start,
      onBlur({ currentTarget, relatedTarget }: FocusEvent) {
        // Also called when the focus moves from row to row.
        if (!currentTarget.contains(relatedTarget) && !currentTarget.matches(":hover"))
          setHeld(undefined);
      },
    },
  };
}

function Row({ match, shard }: { match: Match; shard: string }) {
  // Blue is on the left here.
  const [first, second] =
    match.sides[1]?.colour === "blue" ? match.sides.toReversed() : match.sides;
  return (
    <>
      <div className="start-what">
        <Link className="start-link link-row" to={{ name: "match", shard, id: match.id }}>
          {modeName(match.mode)}
          <span className="visually-hidden">, {match.sides.map(inWords).join(" against ")}</span>
        </Link>
        <span className="note">
          <Time iso={match.createdAt} />
        </span>
      </div>
      <Line side={first} />
      <div className="start-score">
        <strong>
          <Kills side={first} />
          <span aria-hidden="true"> : </span>
          <span className="visually-hidden"> to </span>
          <Kills side={second} />
        </strong>
        <span className="note">{durationText(match.duration)}</span>
      </div>
      <Line side={second} />
    </>
  );
}

function Line({ side }: { side: Side | undefined }) {
  if (!side) return <div className="start-side" />;
  return (
    <div className={`start-side start-${side.colour}`} aria-hidden="true">
      <span className="start-tiles">
        {side.members.map(({ id, actor }) => (
          <HeroTile key={id} actor={actor} size={28} isDecorative />
        ))}
      </span>
      <span className={`cut start-names start-names-${side.outcome}`}>{namesOf(side)}</span>
    </div>
  );
}

const Kills = ({ side }: { side: Side | undefined }) => (
  <span className={side?.outcome ?? "undecided"}>{count(side?.totals.kills)}</span>
);

const namesOf = ({ members }: Side): string =>
  members.map(({ player }) => isolated(player?.name ?? "Bot")).join(", ");

const inWords = (side: Side): string => `${namesOf(side)}${side.outcome === "won" ? " (won)" : ""}`;
