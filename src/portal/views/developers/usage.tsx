/** The usage of the visitor's own key: today against the quota, and the last 30 days. */

import "./usage.css";
import { count, counted } from "../../format.ts";
import { Button } from "../../kit/button.tsx";
import { Figures } from "../../kit/figures.tsx";
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
      <p className="row small soft usage-note">
        <Button look="small" onClick={load.retry}>
          Refresh
        </Button>
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
  const { requests, errors } = daysOf(usage).at(-1)!;
  return (
    <section aria-label="Today">
      <Figures
        figures={[
          {
            label: "Matches today",
            value:
              count(today.matches) + (matchesPerDay === null ? "" : ` of ${count(matchesPerDay)}`),
            note: `${quotaText(usage)} Resets in ${spanOf(today.resetSeconds)}, at midnight UTC.`,
            isBad: isOverQuota(usage),
          },
          {
            label: "Requests today",
            value: count(requests),
            note: `${count(limits.requestsPerMinute)} per minute allowed`,
          },
          { label: "Errors today", value: count(errors), note: "responses with 4xx or 5xx" },
        ]}
      />
      <p className="usage-key note">
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

const dayName = new Intl.DateTimeFormat([], { day: "numeric", month: "short", timeZone: "UTC" });

type Count = "requests" | "errors" | "records";

function History({ usage }: { usage: Usage }) {
  const days = daysOf(usage);
  const { matchesPerDay } = usage.limits;
  const total = (of: Count) => days.reduce((sum, day) => sum + day[of], 0);
  if (total("requests") === 0) return <p className="small soft">No requests in 30 days.</p>;
  /** The first of the series is the one that the title sums up. */
  const plot = (title: string, ...series: [[string, Count], ...[string, Count][]]) => (
    <Plot
      title={`${title} per day: ${count(total(series[0][1]))} in 30 days`}
      xs={days.map(({ day }) => Date.parse(day))}
      xLabel={(x) => dayName.format(x)}
      xHead="Day"
      kind="bars"
      height={200}
      series={series.map(([label, one]) => ({ label, values: days.map((day) => day[one]) }))}
    />
  );
  return (
    <section className="stack usage-plots" aria-label="Last 30 days">
      <div className="card">{plot("Requests", ["Requests", "requests"], ["Errors", "errors"])}</div>
      <div className="card">
        {plot("Records", ["Matches and players read", "records"])}
        <p className="small soft">
          {matchesPerDay === null
            ? "Your key has no daily quota."
            : `The quota counts each match once per day: ${count(matchesPerDay)} different matches. Reading one again, and players, count here only.`}
        </p>
      </div>
    </section>
  );
}
