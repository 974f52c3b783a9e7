/** The newest matches of a region, one row each: who played whom, and who won. */

import { type ReactNode, useState } from "react";
import { clock, count, numberIn, textIn } from "../../format.ts";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Empty, Problem } from "../../kit/states.tsx";
import { HeroTile } from "../../kit/tile.tsx";
import { Time } from "../../kit/time.tsx";
import { modeName, playerName } from "../../names.ts";
import type { Region } from "../../page-data.ts";
import { Link } from "../../router.ts";
import { type MatchRecord, outcomeOf, type RosterRecord } from "../match/record.ts";
import { type Feed, MAX_MATCHES, useFeed } from "./feed.ts";

export function NewestMatches({ region }: { region: Region }) {
  const feed = useFeed(region);
  const { matches, hold } = useHeld(feed);
  return (
    <section className="start-matches" aria-labelledby="start-matches">
      <div className="start-head">
        <h2 id="start-matches">Newest matches</h2>
        {feed.isLive && (
          <span className="start-live" title="New matches appear as they are recorded">
            Live
          </span>
        )}
      </div>
      <div {...hold}>
        <Rows feed={feed} matches={matches} shard={region.id} />
      </div>
    </section>
  );
}

function Rows({
  feed,
  matches,
  shard,
}: {
  feed: ReturnType<typeof useFeed>;
  matches: Feed["matches"];
  shard: string;
}): ReactNode {
  if (matches === undefined) {
    if (feed.error !== undefined) return <Problem error={feed.error} retry={feed.retry} />;
    return <Skeleton label="Loading the newest matches" shape="rows" count={MAX_MATCHES} />;
  }
  if (matches.length === 0) {
    return (
      <Empty title="No matches in this region yet">
        <p>Matches appear when they end. Try another region in the meantime.</p>
      </Empty>
    );
  }
  return (
    <ol className="start-rows">
      {matches.map((match, at) => (
        // By position: a new match changes what rows say, and moves nothing.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above.
        <li key={at} className="start-row">
          <Row match={match} shard={shard} />
        </li>
      ))}
    </ol>
  );
}

/** The list stays as it is while the visitor points at it or has the focus in it. */
function useHeld(feed: Feed) {
  const [held, setHeld] = useState<Feed["matches"]>();
  return {
    matches: held ?? feed.matches,
    hold: {
      onPointerEnter: () => setHeld(feed.matches),
      onPointerLeave: () => setHeld(undefined),
      onFocus: () => setHeld((now) => now ?? feed.matches),
      onBlur: () => setHeld(undefined),
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
