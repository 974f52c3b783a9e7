/** The status page: which regions are available, and how recent their data is. */

import "./view.css";
import { useEffect } from "react";
import type { Schemas } from "../../../../client/src/index.ts";
import { Fact } from "../../kit/fact.tsx";
import { useLoad } from "../../kit/load.ts";
import { Page } from "../../kit/page.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { NoRegions, Problem } from "../../kit/states.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { spanOf, Time } from "../../kit/time.tsx";
import { Link } from "../../router.ts";

type Status = Schemas.Status;
type Shard = Status["shards"][number];

const REFRESH_MS = 15_000;

export default function StatusPage() {
  const { value, error, retry } = useLoad("status", (matchbook, signal) =>
    matchbook.status({ signal }),
  );
  useEffect(() => {
    // A hidden page sends no requests.
    const refresh = () => document.visibilityState === "visible" && retry();
    const timer = setInterval(refresh, REFRESH_MS);
    return () => clearInterval(timer);
  }, [retry]);
  const isLost = error !== undefined;
  return (
    <Page name="Status" title="Status" lead="Live service status. Refreshes every 15 seconds.">
      {value ? (
        <div className={isLost ? "status-old" : ""}>
          {!isLost && <Verdict {...value} />}
          <Report {...value} />
        </div>
      ) : isLost ? (
        <Problem error={error} retry={retry} />
      ) : (
        <Skeleton label="Loading status" shape="rows" count={5} height={48} />
      )}
    </Page>
  );
}

function Verdict({ shards }: Status) {
  const unavailable = shards.filter(({ available }) => !available);
  return (
    <p className={`card status-verdict ${unavailable.length > 0 ? "status-bad" : "status-good"}`}>
      <span className="status-dot" aria-hidden="true" />
      {verdict(shards, unavailable)}
    </p>
  );
}

function Report({ shards, version, startedAt, sharedLimits }: Status) {
  return (
    <>
      {shards.length === 0 ? (
        <NoRegions />
      ) : (
        <Table caption="Regions" columns={COLUMNS} rows={shards} keyOf={({ id }) => id} />
      )}
      <dl className="facts row status-facts">
        <Fact name="Version">{version}</Fact>
        <Fact name="Started">
          <Time iso={startedAt} />
        </Fact>
        {sharedLimits && (
          <Fact name="Rate limits">
            {sharedLimits === "ok" ? "Shared by all instances" : "Counted per instance for now"}
          </Fact>
        )}
        <Fact name="JSON">
          <a href="/status">/status</a>
        </Fact>
      </dl>
    </>
  );
}

function verdict(shards: readonly Shard[], unavailable: readonly Shard[]): string {
  if (shards.length === 0) return "The server is operational";
  if (unavailable.length === 0) {
    return shards.length === 1
      ? "The region is operational"
      : `All ${shards.length} regions operational`;
  }
  const names = unavailable.map(({ id }) => id.toUpperCase()).join(", ");
  return `${unavailable.length} of ${shards.length} regions unavailable: ${names}`;
}

const COLUMNS: readonly Column<Shard>[] = [
  {
    head: "Region",
    isHead: true,
    cell: ({ id }) => (
      <Link to={{ name: "explorer", search: new URLSearchParams({ shard: id, on: "matches" }) }}>
        {id.toUpperCase()}
      </Link>
    ),
  },
  {
    head: "Status",
    cell: ({ available }) => (
      <span className={`status-state ${available ? "status-good" : "status-bad"}`}>
        <span className="status-dot" aria-hidden="true" />
        {available ? "Available" : "Unavailable"}
      </span>
    ),
  },
  {
    head: "Data age",
    cell: ({ ageSeconds }) => (ageSeconds === null ? "–" : ageText(ageSeconds)),
  },
  {
    head: "Newest match",
    cell: ({ newestMatch }) =>
      newestMatch === null ? "None" : <Time iso={newestMatch} relative={false} />,
  },
];

const ageText = (seconds: number): string => (seconds < 60 ? "Under a minute" : spanOf(seconds));
