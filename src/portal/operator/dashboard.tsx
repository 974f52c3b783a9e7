/** What the operator sees: the last hour, key figures, shards, errors, keys. */

import { count } from "../format.ts";
import { Figures } from "../kit/figures.tsx";
import { Plot } from "../kit/plot.tsx";
import { type Column, numbers, Table } from "../kit/table.tsx";
import { spanOf, Time } from "../kit/time.tsx";
import type { Counts, Held, KeyOverview, Overview, ShardOverview } from "./overview.ts";

const NONE = "–";

/** Unlike `count`, also for values that the server does not know. */
const whole = (value: number | null | undefined): string => count(value ?? undefined);

const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const milliseconds = (value: number | undefined): string =>
  value === undefined ? NONE : short.format(value);

const sum = (counts: Counts | readonly number[] | null): number =>
  Object.values<number>(counts ?? {}).reduce((total, one) => total + one, 0);

export function Dashboard({ overview }: { overview: Overview }) {
  const { startedAt, now, shards, requests, errors, milliseconds: latency } = overview;
  const total = (of: Held) => whole(sum(shards.map((shard) => shard[of] ?? 0)));
  const unavailable = shards.filter(({ available }) => !available).map(({ id }) => id);
  return (
    <>
      <p className="note">
        Updated <time dateTime={now}>{new Date(now).toLocaleTimeString()}</time>.
      </p>
      {unavailable.length > 0 && (
        <p className="notice notice-bad" role="status">
          Unavailable: {unavailable.join(", ")}. See the log of the server.
        </p>
      )}
      <LastHour minutes={overview.lastHour} />
      <section>
        <h2>Since the start, {spanOf((Date.parse(now) - Date.parse(startedAt)) / 1000)} ago</h2>
        <Figures
          figures={[
            { label: "Matches", value: total("matches"), note: "that are served" },
            { label: "Players", value: total("players"), note: `in ${shards.length} shards` },
            {
              label: "Requests",
              value: whole(requests),
              note: `${whole(sum(shards.map((shard) => shard.requests.limited ?? 0)))} over a limit`,
            },
            {
              label: "Errors",
              value: whole(sum(errors)),
              note: "error responses",
              isBad: shards.some((shard) => shard.requests.failed),
            },
            {
              label: "Latency p95, ms",
              value: milliseconds(latency?.p95),
              note: `p50 ${milliseconds(latency?.p50)}, p99 ${milliseconds(latency?.p99)}`,
            },
          ]}
        />
      </section>
      <section>
        <h2>Shards</h2>
        <Table caption="Shards" columns={SHARD_COLUMNS} rows={shards} keyOf={({ id }) => id} />
      </section>
      <div className="lists">
        <List title="Errors by code" counts={errors} none="No errors." />
        <List title="Uploaded records" counts={overview.uploads} none="No uploads." />
      </div>
      <Keys overview={overview} />
    </>
  );
}

const minuteOf = new Intl.DateTimeFormat(undefined, { timeStyle: "short", hourCycle: "h23" });

const MEASURES = [
  { of: "requests", title: "Requests per minute", label: "Requests", kind: "bars" },
  { of: "errors", title: "Error responses per minute", label: "Errors", kind: "bars" },
  { of: "p95", title: "Latency p95, ms", label: "p95", kind: "line" },
] as const;

function LastHour({ minutes }: { minutes: Overview["lastHour"] }) {
  const xs = minutes.map(({ at }) => Date.parse(at));
  return (
    <section>
      <h2>Last hour</h2>
      <div className="plots">
        {MEASURES.map(({ of, title, label, kind }) => (
          <div key={of} className="card">
            <Plot
              {...{ title, kind, xs }}
              xLabel={(x) => minuteOf.format(x)}
              xHead="Minute"
              height={150}
              range={[0, 1]}
              series={[{ label, values: minutes.map((minute) => minute[of]) }]}
            />
          </div>
        ))}
      </div>
    </section>
  );
}

const SHARD_COLUMNS: readonly Column<ShardOverview>[] = [
  {
    head: "Shard",
    isHead: true,
    cell: ({ id, available }) => (
      <>
        {id} {!available && <span className="bad">unavailable</span>}
      </>
    ),
  },
  numbers("Matches", ({ matches }) => whole(matches)),
  numbers("Players", ({ players }) => whole(players)),
  numbers("Newest match", ({ newestMatch }) => (newestMatch ? <Time iso={newestMatch} /> : NONE)),
  numbers("Requests", ({ requests }) => whole(sum(requests))),
  numbers("Refused", ({ requests }) => whole(requests.refused ?? 0)),
  numbers("Limited", ({ requests }) => whole(requests.limited ?? 0)),
  numbers("Failed", ({ requests: { failed = 0 } }) => (
    <span className={failed > 0 ? "bad" : ""}>{whole(failed)}</span>
  )),
  numbers("p50, ms", ({ milliseconds: latency }) => milliseconds(latency?.p50)),
  numbers("p95, ms", ({ milliseconds: latency }) => milliseconds(latency?.p95)),
  numbers("p99, ms", ({ milliseconds: latency }) => milliseconds(latency?.p99)),
];

/** The highest count first. */
function List({ title, counts, none }: { title: string; counts: Counts; none: string }) {
  const entries = Object.entries(counts).sort(([, one], [, other]) => other - one);
  return (
    <section>
      <h2>{title}</h2>
      {entries.length === 0 && <p className="note">{none}</p>}
      {entries.length > 0 && (
        <dl className="card counts">
          {entries.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{whole(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

function Keys({ overview: { keys, keyCount } }: { overview: Overview }) {
  return (
    <section>
      <h2>Keys, today (UTC)</h2>
      {keys.length === 0 ? (
        <p className="note">
          No keys yet: create one with <code>matchbook keys create</code>.
        </p>
      ) : (
        <Table caption="Keys" columns={KEY_COLUMNS} rows={keys} keyOf={({ id }) => id} />
      )}
      {keyCount > keys.length && (
        <p className="note">
          {whole(keyCount - keys.length)} more; <code>matchbook keys list</code> lists all.
        </p>
      )}
    </section>
  );
}

const KEY_COLUMNS: readonly Column<KeyOverview>[] = [
  {
    head: "Key",
    isHead: true,
    cell: ({ id, name }) => (
      <>
        {name ?? id} {name !== null && <code className="note">{id}</code>}
      </>
    ),
  },
  { head: "Tier", cell: ({ tier }) => tier ?? NONE },
  { head: "State", cell: ({ state }) => state ?? NONE },
  numbers("Requests", ({ requestsToday }) => whole(requestsToday)),
  numbers("Errors", ({ errorsToday }) => whole(errorsToday)),
  numbers("Matches", ({ matchesToday }) => whole(matchesToday)),
  numbers("Quota used", (key) => <Quota used={key} />),
  numbers("Last used", ({ lastSeen }) => (lastSeen ? <Time iso={lastSeen} /> : "never")),
];

function Quota({ used: { id, name, matchesToday, matchesPerDay } }: { used: KeyOverview }) {
  if (matchesPerDay === null) return "no quota";
  if (matchesToday === null) return `${whole(matchesPerDay)} per address`;
  const share = Math.min(1, matchesToday / matchesPerDay);
  return (
    <>
      <meter
        value={share}
        low={0.8}
        high={0.95}
        optimum={0}
        aria-label={`Quota used by ${name ?? id}`}
      />{" "}
      {Math.floor(share * 100)} %
    </>
  );
}
