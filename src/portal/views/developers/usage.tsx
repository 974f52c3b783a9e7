/** The usage of the visitor's own key: today against the quota, and the last 30 days. */

import "./usage.css";
import { useMemo } from "react";
import { counted } from "../../format.ts";
import { useLoad } from "../../kit/load.ts";
import { Plot } from "../../kit/plot.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Problem } from "../../kit/states.tsx";
import { spanOf } from "../../kit/time.tsx";
import { Link } from "../../router.ts";
import { useSession } from "../../session.ts";
import { DeveloperPage } from "./layout.tsx";
import { OwnKey } from "./own-key.tsx";
import { daysOf, isOverQuota, type Usage } from "./usage-days.ts";

export function UsagePage() {
  const { key } = useSession();
  return (
    <DeveloperPage
      current="usage"
      title="Usage"
      lead="What your key has used. Days are UTC. This page costs one request."
    >
      {key === undefined ? <OwnKey /> : <OwnUsage key={key} />}
    </DeveloperPage>
  );
}

function OwnUsage() {
  const load = useLoad("usage", (matchbook, signal) => matchbook.usage({ signal }));
  if (load.state === "failed") return <Problem error={load.error} retry={load.retry} />;
  if (!load.value) return <Skeleton label="Loading usage" shape="cards" count={3} height={120} />;
  return (
    <>
      <Today usage={load.value} />
      <History usage={load.value} />
      <p className="usage-note">
        <button type="button" className="button button-small" onClick={load.retry}>
          Refresh
        </button>
        <span>
          The numbers of the last seconds may be missing. What the limits mean:{" "}
          <Link to={{ name: "developers", page: "keys" }}>Keys and limits</Link>.
        </span>
      </p>
    </>
  );
}

function Today({ usage }: { usage: Usage }) {
  const { key, limits, today } = usage;
  const { matchesPerDay } = limits;
  const days = daysOf(usage);
  const { requests, errors } = days.at(-1)!;
  return (
    <section className="usage-today card" aria-label="Today">
      <div className="usage-quota">
        <p className="usage-label">Matches today</p>
        <p className="usage-figure">
          {today.matches.toLocaleString("en")}
          {matchesPerDay !== null && (
            <span className="usage-of"> of {matchesPerDay.toLocaleString("en")}</span>
          )}
        </p>
        {matchesPerDay !== null && (
          <span className={`usage-track${isOverQuota(usage) ? " usage-full" : ""}`} aria-hidden>
            <span
              className="usage-fill"
              style={{ width: `${Math.min(100, (today.matches / matchesPerDay) * 100)}%` }}
            />
          </span>
        )}
        <p className={isOverQuota(usage) ? "usage-over" : "usage-soft"}>
          {quotaText(usage)} Resets in {spanOf(today.resetSeconds)}, at midnight UTC.
        </p>
      </div>
      <div>
        <p className="usage-label">Requests today</p>
        <p className="usage-figure">{requests.toLocaleString("en")}</p>
        <p className="usage-soft">
          {limits.requestsPerMinute.toLocaleString("en")} per minute allowed
        </p>
      </div>
      <div>
        <p className="usage-label">Errors today</p>
        <p className="usage-figure">{errors.toLocaleString("en")}</p>
        <p className="usage-soft">responses with 4xx or 5xx</p>
      </div>
      <p className="usage-key">
        Key <b>{key.name}</b> <code>{key.id}</code>, tier {key.tier}
      </p>
    </section>
  );
}

function quotaText({ today }: Usage): string {
  if (today.matchesLeft === null) return "No daily limit.";
  if (today.matchesLeft === 0) return "The daily match quota is used up.";
  return `${counted(today.matchesLeft, "match", "matches")} left.`;
}

const dayName = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" });

function History({ usage }: { usage: Usage }) {
  const days = useMemo(() => daysOf(usage), [usage]);
  const xs = days.map(({ day }) => Date.parse(day));
  const { matchesPerDay } = usage.limits;
  const shared = {
    xs,
    xLabel: (x: number) => dayName.format(x),
    xHead: "Day",
    kind: "bars" as const,
    height: 200,
  };
  const total = (of: "requests" | "errors" | "records") =>
    days.reduce((sum, day) => sum + day[of], 0);
  if (total("requests") === 0) return <p className="usage-soft">No requests in 30 days.</p>;
  return (
    <section className="usage-plots" aria-label="Last 30 days">
      <div className="card">
        <Plot
          {...shared}
          title={`Requests per day: ${total("requests").toLocaleString("en")} in 30 days`}
          series={[
            { label: "Requests", values: days.map(({ requests }) => requests) },
            { label: "Errors", values: days.map(({ errors }) => errors) },
          ]}
        />
      </div>
      <div className="card">
        <Plot
          {...shared}
          title={`Records per day: ${total("records").toLocaleString("en")} in 30 days`}
          series={[
            { label: "Matches and players read", values: days.map(({ records }) => records) },
          ]}
        />
        <p className="usage-soft">
          {matchesPerDay === null
            ? "Your key has no daily quota."
            : `The quota counts each match once per day: ${matchesPerDay.toLocaleString("en")} different matches. Reading one again, and players, count here only.`}
        </p>
      </div>
    </section>
  );
}
