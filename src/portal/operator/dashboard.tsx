/** What the operator sees: key figures, shards, errors and limits, keys. */

import type { ReactNode } from "react";
import { ago, duration, milliseconds, perSecond, sum, whole } from "./format.ts";
import { type Counts, type KeyOverview, type Loaded, type Overview, rate } from "./overview.ts";

const REASONS = {
  "game-mode": "Unknown mode",
  ending: "Not played",
  "no-ranked-player": "No ranked player",
} as const;

const UPLOADED = ["stored", "withheld", "duplicate", "conflict", "pruned", "rejected"];

export function Dashboard({ loaded }: { loaded: Loaded }) {
  const { overview } = loaded;
  const { startedAt, now, shards, milliseconds: latency } = overview;
  const total = (count: (shard: Overview["shards"][number]) => number) =>
    shards.reduce((all, shard) => all + count(shard), 0);
  const unavailable = shards.filter(({ available }) => !available).map(({ id }) => id);
  return (
    <>
      <p className="since">
        Counted since this instance started, {duration(Date.parse(now) - Date.parse(startedAt))}{" "}
        ago. Updated <time dateTime={now}>{new Date(now).toLocaleTimeString()}</time>.
      </p>
      {unavailable.length === 0 ? null : (
        <p className="notice" role="status">
          Unavailable: {unavailable.join(", ")}. See the log of the server.
        </p>
      )}
      <dl className="figures">
        <Figure label="Matches" detail="served">
          {whole(total(({ matches }) => matches ?? 0))}
        </Figure>
        <Figure label="Players" detail={`in ${shards.length} shards`}>
          {whole(total(({ players }) => players ?? 0))}
        </Figure>
        <Figure label="Withheld" detail="not served">
          {whole(total(({ withheld }) => sum(withheld)))}
        </Figure>
        <Figure label="Added / s" detail={`${whole(added(overview))} matches in all`}>
          {perSecond(rate(loaded, added))}
        </Figure>
        <Figure label="Requests / s" detail={`${whole(overview.requests)} in all`}>
          {perSecond(rate(loaded, ({ requests }) => requests))}
        </Figure>
        <Figure
          label="Latency p95, ms"
          detail={`p50 ${milliseconds(latency?.p50)}, p99 ${milliseconds(latency?.p99)}`}
        >
          {milliseconds(latency?.p95)}
        </Figure>
        <Figure label="Errors" detail="error responses" warns={failures(overview) > 0}>
          {whole(sum(overview.errors))}
        </Figure>
        <Figure label="Limits hit" detail="rejected requests">
          {whole(sum(overview.limits))}
        </Figure>
      </dl>
      <Shards loaded={loaded} />
      <div className="lists">
        <List title="Errors by code" counts={overview.errors} none="No errors." />
        <List title="Limits hit" counts={overview.limits} none="No request was over a limit." />
        <List
          title="Uploaded records"
          counts={overview.uploads}
          order={UPLOADED}
          none="No uploads."
        />
      </div>
      <Keys overview={overview} />
    </>
  );
}

const added = ({ shards }: Overview): number =>
  shards.reduce((all, shard) => all + (shard.added ?? 0), 0);

const failures = ({ shards }: Overview): number =>
  shards.reduce((all, { requests }) => all + (requests.failed ?? 0), 0);

function Figure({
  label,
  detail,
  warns = false,
  children,
}: {
  label: string;
  detail: string;
  warns?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={warns ? "figure warns" : "figure"}>
      <dt>{label}</dt>
      <dd>
        <b>{children}</b>
        <span>{detail}</span>
      </dd>
    </div>
  );
}

function Shards({ loaded }: { loaded: Loaded }) {
  const { shards, now } = loaded.overview;
  const of = (id: string, count: (shard: Overview["shards"][number]) => number) =>
    rate(loaded, (from) => {
      const shard = from.shards.find((one) => one.id === id);
      return shard ? count(shard) : 0;
    });
  return (
    <section aria-labelledby="shards">
      <h2 id="shards">Shards</h2>
      <Scroll label="Shards">
        <table className="shards">
          <thead>
            <tr>
              <th rowSpan={2} scope="col">
                Shard
              </th>
              <th colSpan={4} scope="colgroup" className="group">
                Records
              </th>
              <th colSpan={3} scope="colgroup" className="group">
                Withheld
              </th>
              <th colSpan={5} scope="colgroup" className="group">
                Requests
              </th>
              <th colSpan={3} scope="colgroup" className="group">
                Latency, ms
              </th>
            </tr>
            <tr>
              <Numeric>Matches</Numeric>
              <Numeric>Added / s</Numeric>
              <Numeric>Players</Numeric>
              <Numeric>Newest</Numeric>
              {Object.values(REASONS).map((reason) => (
                <Numeric key={reason}>{reason}</Numeric>
              ))}
              <Numeric>All</Numeric>
              <Numeric>Per s</Numeric>
              <Numeric>Refused</Numeric>
              <Numeric>Limited</Numeric>
              <Numeric>Failed</Numeric>
              <Numeric>p50</Numeric>
              <Numeric>p95</Numeric>
              <Numeric>p99</Numeric>
            </tr>
          </thead>
          <tbody>
            {shards.map(
              ({ id, available, requests, withheld, milliseconds: latency, ...shard }) => (
                <tr key={id}>
                  <th scope="row">
                    {id}
                    {available ? null : <span className="tag">unavailable</span>}
                  </th>
                  <td>{whole(shard.matches)}</td>
                  <td>{perSecond(of(id, (one) => one.added ?? 0))}</td>
                  <td>{whole(shard.players)}</td>
                  <td>{shard.newestMatch === null ? "–" : ago(shard.newestMatch, now)}</td>
                  {Object.keys(REASONS).map((reason) => (
                    <td key={reason}>{whole(withheld?.[reason] ?? null)}</td>
                  ))}
                  <td>{whole(sum(requests))}</td>
                  <td>{perSecond(of(id, (one) => sum(one.requests)))}</td>
                  <td>{whole(requests.refused ?? 0)}</td>
                  <td>{whole(requests.limited ?? 0)}</td>
                  <td className={requests.failed ? "bad" : undefined}>
                    {whole(requests.failed ?? 0)}
                  </td>
                  <td>{milliseconds(latency?.p50)}</td>
                  <td>{milliseconds(latency?.p95)}</td>
                  <td>{milliseconds(latency?.p99)}</td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

const Numeric = ({ children }: { children: ReactNode }) => (
  <th scope="col" className="number">
    {children}
  </th>
);

/** A table that is wider than the screen scrolls by itself, also with the keyboard. */
function Scroll({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls.
    <section className="scroll" aria-label={`${label}, table`} tabIndex={0}>
      {children}
    </section>
  );
}

function List({
  title,
  counts,
  none,
  order,
}: {
  title: string;
  counts: Counts;
  none: string;
  order?: readonly string[];
}) {
  const entries = Object.entries(counts).sort(([one, more], [other, most]) =>
    order ? order.indexOf(one) - order.indexOf(other) : most - more,
  );
  return (
    <section>
      <h2>{title}</h2>
      {entries.length === 0 ? (
        <p className="none">{none}</p>
      ) : (
        <dl className="counts">
          {entries.map(([name, count]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{whole(count)}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

function Keys({ overview }: { overview: Overview }) {
  const { keys, keyCount, now } = overview;
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">Keys, today (UTC)</h2>
      {keys.length === 0 ? (
        <p className="none">
          No keys yet: create one with <code>matchbook keys create</code>.
        </p>
      ) : (
        <Scroll label="Keys">
          <table>
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">Tier</th>
                <th scope="col">State</th>
                <Numeric>Requests</Numeric>
                <Numeric>Errors</Numeric>
                <Numeric>Matches</Numeric>
                <Numeric>Quota used</Numeric>
                <Numeric>Last used</Numeric>
              </tr>
            </thead>
            <tbody>
              {keys.map((key) => (
                <KeyRow key={key.id} used={key} now={now} />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {keyCount > keys.length ? (
        <p className="none">
          {whole(keyCount - keys.length)} more; <code>matchbook keys usage</code> lists all.
        </p>
      ) : null}
    </section>
  );
}

function KeyRow({ used, now }: { used: KeyOverview; now: string }) {
  const { id, name, tier, state, matchesToday, matchesPerDay } = used;
  const share = matchesPerDay === null ? undefined : Math.min(1, matchesToday / matchesPerDay);
  return (
    <tr>
      <th scope="row">
        {name ?? id}
        {name === null ? null : <code className="id">{id}</code>}
      </th>
      <td className="text">{tier ?? "–"}</td>
      <td className="text">{state ?? "–"}</td>
      <td>{whole(used.requestsToday)}</td>
      <td>{whole(used.errorsToday)}</td>
      <td>{whole(matchesToday)}</td>
      <td>
        {share === undefined ? (
          "no quota"
        ) : (
          <span className="quota">
            <meter
              value={share}
              low={0.8}
              high={0.95}
              optimum={0}
              aria-label={`Quota used by ${name ?? id}`}
            />
            {Math.floor(share * 100)} %
          </span>
        )}
      </td>
      <td>{ago(used.lastSeen, now)}</td>
    </tr>
  );
}
