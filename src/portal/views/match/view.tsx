/** The match page: the result, both line-ups, a comparison, and everything else that the record has. */

import { ApiMenu } from "../../kit/api-menu.tsx";
import { useLoad } from "../../kit/load.ts";
import { NeedsKey } from "../../kit/needs-key.tsx";
import { NotFound } from "../../kit/not-found.tsx";
import { Page } from "../../kit/page.tsx";
import { isNotFound, Problem } from "../../kit/problem.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { matchOf } from "../../match.ts";
import { modeName } from "../../names.ts";
import { useSession } from "../../session.ts";
import { Comparison } from "./comparison.tsx";
import { Facts } from "./head.tsx";
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
  const load = useLoad(`match ${shard} ${id}`, async (matchbook, signal) =>
    matchOf(await matchbook.shard(shard).match(id, { signal })),
  );
  const match = load.value;
  const title = match ? `${modeName(match.mode)} match` : "Match";
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
        <div className="stack tall match-page">
          <div className="row match-head">
            <Facts match={match} shard={shard} />
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
      )}
    </Page>
  );
}
