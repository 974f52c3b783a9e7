/** In charge of the page "Status": how the service is, now, by what it says of itself in public. */

import "./view.css";
import { useEffect, useRef } from "react";
import type { Schemas } from "../../../../client/src/index.ts";
import { type Load, useLoad } from "../../kit/load.ts";
import { Page } from "../../kit/page.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { spanOf, Time } from "../../kit/time.tsx";
import { Link } from "../../router.ts";
import { useSession } from "../../session.ts";

type Status = Schemas.Status;
type Shard = Status["shards"][number];

const REFRESH_MS = 15_000;

export default function StatusPage() {
  const { matchbook } = useSession();
  const load = useLoad((signal) => matchbook.status({ signal }), [matchbook]);
  const { retry } = load;
  useEffect(() => {
    // A page that nobody looks at asks nothing.
    const look = () => document.visibilityState === "visible" && retry();
    const timer = setInterval(look, REFRESH_MS);
    return () => clearInterval(timer);
  }, [retry]);
  return (
    <Page
      name="Status"
      title="Status"
      lead="What the service says of itself, in public. This page asks again every 15 seconds."
    >
      <Loaded load={useSettled(load)} label="Asking how the service is" lines={8}>
        {(status) => <Report status={status} />}
      </Loaded>
    </Page>
  );
}

/** What was told last, be it a report or a failure, until the next: an old report would say that all is well. */
function useSettled<T>(load: Load<T>): Load<T> {
  const settled = useRef(load);
  if (load.state !== "loading") settled.current = load;
  return settled.current;
}

function Report({ status }: { status: Status }) {
  const away = status.shards.filter(({ available }) => !available);
  return (
    <>
      <p className={`status-verdict ${away.length > 0 ? "status-bad" : "status-good"}`}>
        <span className="status-dot" aria-hidden="true" />
        {verdict(status, away)}
      </p>
      {status.shards.length === 0 ? (
        <Empty title="No shards yet">
          <p>They come with the first records.</p>
        </Empty>
      ) : (
        <Table
          caption="Shards"
          columns={COLUMNS}
          rows={[...status.shards]}
          keyOf={({ id }) => id}
        />
      )}
      <dl className="status-facts">
        <div>
          <dt>Version</dt>
          <dd>{status.version}</dd>
        </div>
        <div>
          <dt>Serving since</dt>
          <dd>
            <Time iso={status.startedAt} />
          </dd>
        </div>
        {status.sharedLimits && (
          <div>
            <dt>Limits</dt>
            <dd>
              {status.sharedLimits === "ok"
                ? "shared by all instances"
                : "counted by each instance for itself, for now"}
            </dd>
          </div>
        )}
        <div>
          <dt>For programs</dt>
          <dd>
            <a href="/status">/status</a>
          </dd>
        </div>
      </dl>
    </>
  );
}

function verdict({ shards }: Status, away: readonly Shard[]): string {
  if (shards.length === 0) return "The service answers. It has no shards yet.";
  if (away.length === 0) {
    return shards.length === 1
      ? "The one shard can be read"
      : `All ${shards.length} shards can be read`;
  }
  const names = away.map(({ id }) => id).join(", ");
  return `${away.length} of ${shards.length} shards cannot be read now: ${names}`;
}

const COLUMNS: readonly Column<Shard>[] = [
  {
    head: "Shard",
    isHead: true,
    cell: ({ id }) => (
      <Link to={{ name: "explorer", search: new URLSearchParams({ shard: id, on: "matches" }) }}>
        {id}
      </Link>
    ),
  },
  {
    head: "State",
    cell: ({ available }) => (
      <span className={`status-state ${available ? "status-good" : "status-bad"}`}>
        <span className="status-dot" aria-hidden="true" />
        {available ? "available" : "away"}
      </span>
    ),
  },
  {
    head: "Behind by",
    cell: ({ ageSeconds }) => (ageSeconds === null ? "–" : lag(ageSeconds)),
  },
  {
    head: "Newest match",
    cell: ({ newestMatch }) =>
      newestMatch === null ? "none" : <Time iso={newestMatch} relative={false} />,
  },
];

const lag = (seconds: number): string => (seconds < 60 ? "less than a minute" : spanOf(seconds));
