/** The facts at the top of a match: date, duration, ending, patch and region. */

import type { ReactNode } from "react";
import { clock, clockInWords, textIn } from "../../format.ts";
import { Time } from "../../kit/time.tsx";
import type { Match } from "../../match.ts";
import { endingName, modeName } from "../../names.ts";

/** Renders the same lines, without values, until the match is loaded. */
export function Facts({ match, shard }: { match: Match | undefined; shard: string }) {
  const queue = match && textIn(match.stats, "queue");
  const hasOwnQueue = queue !== undefined && queue !== match?.mode;
  return (
    <dl className="match-facts">
      <Fact name="Played">
        {match && (
          <>
            <Time iso={match.createdAt} relative={false} />{" "}
            <span className="match-ago">
              <Time iso={match.createdAt} />
            </span>
          </>
        )}
      </Fact>
      <Fact name="Duration">
        {match && (
          <>
            <span aria-hidden="true">{clock(match.duration)}</span>
            <span className="visually-hidden">{clockInWords(match.duration)}</span>
          </>
        )}
      </Fact>
      <Fact name="Ended by">{match && endingName(match.stats.endGameReason)}</Fact>
      <Fact name="Patch">{match && (match.patch ?? "Unknown")}</Fact>
      <Fact name="Region">{shard.toUpperCase()}</Fact>
      {hasOwnQueue && <Fact name="Queue">{modeName(queue)}</Fact>}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children ?? "\u00a0"}</dd>
    </div>
  );
}
