/** The match page: the result, both line-ups, a comparison, and everything else that the record has. */

import { ApiMenu } from "../../kit/api-menu.tsx";
import { useLoad } from "../../kit/load.ts";
import { NeedsKey } from "../../kit/needs-key.tsx";
import { NotFound } from "../../kit/not-found.tsx";
import { Page } from "../../kit/page.tsx";
import { isNotFound, Problem } from "../../kit/problem.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { modeName } from "../../names.ts";
import { useSession } from "../../session.ts";
import { Comparison } from "./comparison.tsx";
import { Facts } from "./head.tsx";
import { LineUps } from "./line-ups.tsx";
import { LinkedData, MoreStats } from "./more.tsx";
import { documentOf, recordOf } from "./read.ts";
import type { MatchRecord } from "./record.ts";
import { Result } from "./result.tsx";
import { scoreboardOf } from "./scoreboard.ts";
import "./view.css";
import "./result.css";
import "./line-ups.css";

interface Props {
  shard: string;
  id: string;
}

export default function Match({ shard, id }: Props) {
  const { access } = useSession();
  if (access === "none") {
    return (
      <Page title="Match" name="Match">
        <NeedsKey what="this match" />
      </Page>
    );
  }
  return <Loading shard={shard} id={id} />;
}

function Loading({ shard, id }: Props) {
  const { matchbook } = useSession();
  const load = useLoad(
    async (signal) => {
      const match = await matchbook.shard(shard).match(id, { signal });
      return { record: recordOf(match), document: documentOf(match) };
    },
    [matchbook, shard, id],
  );
  const match = load.value?.record;
  const title = match ? `${modeName(match.gameMode)} match` : "Match";
  const path = `/shards/${encodeURIComponent(shard)}/matches/${encodeURIComponent(id)}`;
  if (load.state === "failed" && isNotFound(load.error)) {
    return (
      <NotFound title="Match not found">There is no such match in {shard.toUpperCase()}.</NotFound>
    );
  }
  return (
    <Page title={title} name={title}>
      {load.state === "failed" ? (
        <Problem error={load.error} retry={load.retry} />
      ) : (
        <div className="match-page">
          <div className="match-head">
            <Facts match={match} shard={shard} />
            {/* Not beside the heading, which grows when the mode is known. */}
            <span className="match-api">
              <ApiMenu id={id} path={path} document={load.value?.document} />
            </span>
          </div>
          {match ? <Board match={match} shard={shard} /> : <Placeholder />}
        </div>
      )}
    </Page>
  );
}

function Placeholder() {
  return (
    <>
      <Skeleton label="Loading match" shape="cards" count={1} height={196} />
      <Skeleton label="Loading line-ups" shape="rows" count={8} height={61} />
    </>
  );
}

function Board({ match, shard }: { match: MatchRecord; shard: string }) {
  const board = scoreboardOf(match);
  return (
    <>
      <Result board={board} />
      <LineUps board={board} shard={shard} />
      <Comparison board={board} />
      <LinkedData match={match} />
      <MoreStats match={match} board={board} />
    </>
  );
}
