/** The newest matches of a region, one row each: who played whom, and who won. */

import { type FocusEvent, type PointerEvent, useState } from "react";
import { clock, count, numberIn, textIn } from "../../format.ts";
import { Live, useChanges } from "../../kit/changes.tsx";
import { usePages } from "../../kit/load.ts";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Empty, Problem } from "../../kit/states.tsx";
import { HeroTile } from "../../kit/tile.tsx";
import { Time } from "../../kit/time.tsx";
import { modeName, playerName } from "../../names.ts";
import type { Region } from "../../regions.ts";
import { Link } from "../../router.ts";
import { type Readable, recordOf } from "../match/read.ts";
import { type MatchRecord, outcomeOf, type RosterRecord } from "../match/record.ts";

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
      <div className="start-head">
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
    first: (matchbook, signal) =>
      matchbook
        .shard(id)
        .matches({
          sort: "-createdAt",
          limit: 5,
          fields: FIELDS,
          createdAtStart: isOld ? new Date(newest - WINDOW_MS).toISOString() : undefined,
          signal,
        })
        .page(),
    read: (match: Readable) => recordOf(match),
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

function Row({ match, shard }: { match: MatchRecord; shard: string }) {
  const [first, second] = sidesOf(match.rosters);
  return (
    <>
      <div className="start-what">
        <Link className="start-link" to={{ name: "match", shard, id: match.id }}>
          {modeName(match.gameMode)}
          <span className="visually-hidden">, {match.rosters.map(inWords).join(" against ")}</span>
        </Link>
        <span className="start-when">
          <Time iso={match.createdAt} />
        </span>
      </div>
      <Side roster={first} rosters={match.rosters} colour="blue" />
      <div className="start-score">
        <span className="start-kills">
          <Kills roster={first} rosters={match.rosters} />
          <span aria-hidden="true"> : </span>
          <span className="visually-hidden"> to </span>
          <Kills roster={second} rosters={match.rosters} />
        </span>
        <span className="start-clock">{clock(match.duration)}</span>
      </div>
      <Side roster={second} rosters={match.rosters} colour="red" />
    </>
  );
}

interface SideProps {
  roster: RosterRecord | undefined;
  rosters: readonly RosterRecord[];
}

function Side({ roster, rosters, colour }: SideProps & { colour: "blue" | "red" }) {
  if (!roster) return <div className={`start-side start-${colour}`} />;
  const outcome = outcomeOf(roster, rosters);
  return (
    <div className={`start-side start-${colour}`} aria-hidden="true">
      <span className="start-tiles">
        {roster.participants.map(({ id, actor }) => (
          <HeroTile key={id} actor={actor} size={28} isDecorative />
        ))}
      </span>
      <span className={`start-names start-names-${outcome}`}>
        {roster.participants.map(({ player }) => playerName(player?.name ?? "Bot")).join(", ")}
      </span>
    </div>
  );
}

function Kills({ roster, rosters }: SideProps) {
  const kills = roster && numberIn(roster.stats, "heroKills");
  const outcome = roster ? outcomeOf(roster, rosters) : "undecided";
  return <span className={`start-kills-${outcome}`}>{count(kills)}</span>;
}

/** Blue first, where records name the sides. */
function sidesOf(rosters: readonly RosterRecord[]) {
  const blue = rosters.findIndex(({ stats }) => /blue/i.test(textIn(stats, "side") ?? ""));
  return blue === 1 ? [rosters[1], rosters[0]] : [rosters[0], rosters[1]];
}

const inWords = ({ participants, won }: RosterRecord): string => {
  const names = participants.map(({ player }) => playerName(player?.name ?? "Bot"));
  return `${names.join(", ")}${won ? " (won)" : ""}`;
};
