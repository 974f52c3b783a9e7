/** The match page: the result, both line-ups, a comparison, and everything else that the record has. */

import { durationText, textIn } from "../../format.ts";
import { ApiMenu } from "../../kit/api-menu.tsx";
import { useLoad } from "../../kit/load.ts";
import { Page } from "../../kit/page.tsx";
import { Pairs } from "../../kit/pairs.tsx";
import { FailedPage, KeyPage } from "../../kit/record-page.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Time } from "../../kit/time.tsx";
import { type Match as MatchRecord, matchOf } from "../../match.ts";
import { endingName, modeName } from "../../names.ts";
import { Comparison } from "./comparison.tsx";
import { LineUps } from "./line-ups.tsx";
import { LinkedData, MoreStats } from "./more.tsx";
import { Result } from "./result.tsx";
import "./view.css";
import "./result.css";
import "./line-ups.css";

interface Props {
  shard: string;
  id: string;
}

export default function Match(props: Props) {
  return (
    <KeyPage kind="Match">
      <Loading {...props} />
    </KeyPage>
  );
}

function Loading({ shard, id }: Props) {
  const load = useLoad(`match ${shard} ${id}`, async (matchbook, signal) =>
    matchOf(await matchbook.shard(shard).match(id, { signal })),
  );
  const match = load.value;
  const title = match ? `${modeName(match.mode)} match` : "Match";
  const path = `/shards/${encodeURIComponent(shard)}/matches/${encodeURIComponent(id)}`;
  if (load.state === "failed") return <FailedPage kind="Match" load={load} shard={shard} />;
  return (
    <Page title={title} name={title}>
      <div className="stack tall match-page">
        <div className="row match-head">
          <Pairs className="facts match-facts" pairs={factsOf(match, shard)} />
          {/* Not beside the heading, which grows when the mode is known. */}
          <span className="match-api">
            <ApiMenu id={id} path={path} />
          </span>
        </div>
        {match ? (
          <>
            <Result match={match} />
            <LineUps match={match} shard={shard} />
            <Comparison match={match} />
            <LinkedData match={match} />
            <MoreStats match={match} />
          </>
        ) : (
          <>
            <Skeleton label="Loading match" shape="cards" count={1} height={196} />
            <Skeleton label="Loading line-ups" shape="rows" count={8} height={61} />
          </>
        )}
      </div>
    </Page>
  );
}

/** The same lines, without values, until the match is loaded. */
function factsOf(match: MatchRecord | undefined, shard: string) {
  const queue = match && textIn(match.stats, "queue");
  const when = match && (
    <>
      <Time iso={match.createdAt} relative={false} />{" "}
      <span className="note">
        (<Time iso={match.createdAt} />)
      </span>
    </>
  );
  return [
    { name: "Played", text: when ?? BLANK },
    { name: "Duration", text: match ? durationText(match.duration) : BLANK },
    { name: "Ended by", text: match ? endingName(match.stats.endGameReason) : BLANK },
    { name: "Patch", text: match ? (match.patch ?? "Unknown") : BLANK },
    { name: "Region", text: shard.toUpperCase() },
    ...(queue === undefined || queue === match?.mode
      ? []
      : [{ name: "Queue", text: modeName(queue) }]),
  ];
}

const BLANK = "\u00a0";
