/** The facts at the top of a match: date, duration, ending, patch and region. */

import { durationText, textIn } from "../../format.ts";
import { Fact } from "../../kit/fact.tsx";
import { Time } from "../../kit/time.tsx";
import type { Match } from "../../match.ts";
import { endingName, modeName } from "../../names.ts";

/** Renders the same lines, without values, until the match is loaded. */
export function Facts({ match, shard }: { match: Match | undefined; shard: string }) {
  const queue = match && textIn(match.stats, "queue");
  const hasOwnQueue = queue !== undefined && queue !== match?.mode;
  return (
    <dl className="facts match-facts">
      <Fact name="Played">
        {match && (
          <>
            <Time iso={match.createdAt} relative={false} />{" "}
            <span className="note">
              <Time iso={match.createdAt} />
            </span>
          </>
        )}
      </Fact>
      <Fact name="Duration">{match && durationText(match.duration)}</Fact>
      <Fact name="Ended by">{match && endingName(match.stats.endGameReason)}</Fact>
      <Fact name="Patch">{match && (match.patch ?? "Unknown")}</Fact>
      <Fact name="Region">{shard.toUpperCase()}</Fact>
      {hasOwnQueue && <Fact name="Queue">{modeName(queue)}</Fact>}
    </dl>
  );
}
