/** The match page: the scoreboard of one match. */

import { MatchbookError } from "../../../../client/src/index.ts";
import { useLoad } from "../../kit/load.ts";
import { Page } from "../../kit/page.tsx";
import { Loaded } from "../../kit/states.tsx";
import { modeName } from "../../names.ts";
import { Link } from "../../router.ts";
import { useSession } from "../../session.ts";
import { Comparison } from "./comparison.tsx";
import { Facts } from "./head.tsx";
import { RecordLinks } from "./links.tsx";
import { MoreStats } from "./more.tsx";
import { recordOf } from "./read.ts";
import type { MatchRecord } from "./record.ts";
import { Result } from "./result.tsx";
import { Roster } from "./roster.tsx";
import { scoreboardOf } from "./scoreboard.ts";
import "./view.css";
import "./result.css";
import "./roster.css";
import "./more.css";
import "./links.css";

export default function Match({ shard, id }: { shard: string; id: string }) {
  const { matchbook } = useSession();
  const load = useLoad(
    async (signal) => recordOf(await matchbook.shard(shard).match(id, { signal })),
    [matchbook, shard, id],
  );
  const match = load.value;
  const title = match ? `${modeName(match.gameMode)} match` : "Match";
  const hasFailed = load.state === "failed";
  const isMissing =
    hasFailed && load.error instanceof MatchbookError && load.error.code === "not-found";
  return (
    <Page title={title} name={title} aside={<RecordLinks shard={shard} on="match" id={id} />}>
      <div className={`match-page${hasFailed ? "" : " match-frame"}`}>
        {(match || !hasFailed) && <Facts match={match} shard={shard} />}
        <Loaded load={load} label="Loading match" lines={16}>
          {(loaded) => <Board match={loaded} shard={shard} />}
        </Loaded>
        {isMissing && (
          <p>
            Browse the{" "}
            <Link to={{ name: "explorer", search: newest(shard) }}>newest matches in {shard}</Link>.
          </p>
        )}
      </div>
    </Page>
  );
}

function Board({ match, shard }: { match: MatchRecord; shard: string }) {
  const board = scoreboardOf(match);
  return (
    <div className="match-page">
      <Result board={board} />
      <div className="match-rosters">
        {board.sides.map((side) => (
          <Roster key={side.id} side={side} shard={shard} most={board.most} />
        ))}
      </div>
      <Comparison board={board} />
      <MoreStats match={match} board={board} />
    </div>
  );
}

const newest = (shard: string): URLSearchParams =>
  new URLSearchParams({ shard, on: "matches", sort: "-createdAt" });
