/** The match page: the result, both line-ups, a comparison, and everything else that the record has. */

import { MatchbookError } from "../../../../client/src/index.ts";
import { ApiMenu } from "../../kit/api-menu.tsx";
import { useLoad } from "../../kit/load.ts";
import { NeedsKey } from "../../kit/needs-key.tsx";
import { Page } from "../../kit/page.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Problem } from "../../kit/states.tsx";
import { matchOf } from "../../match.ts";
import { modeName } from "../../names.ts";
import { Link } from "../../router.ts";
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
  return (
    <Page title={title} name={title}>
      {load.state === "failed" ? (
        <Failed error={load.error} retry={load.retry} shard={shard} />
      ) : (
        <div className="match-page">
          <div className="match-head">
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

function Failed({ error, retry, shard }: { error: unknown; retry(): void; shard: string }) {
  const isMissing = error instanceof MatchbookError && error.code === "not-found";
  const search = new URLSearchParams({ shard, on: "matches", sort: "-createdAt" });
  return (
    <>
      <Problem error={error} retry={retry} />
      {isMissing && (
        <p className="match-elsewhere">
          Browse the{" "}
          <Link to={{ name: "explorer", search }}>newest matches in {shard.toUpperCase()}</Link>.
        </p>
      )}
    </>
  );
}
