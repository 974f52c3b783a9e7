/** Keys and limits: the visitor's own key, what it may do, and how a program sees its limits. */

import "./keys.css";
import type { ReactNode } from "react";
import { Code } from "../../kit/code.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { Link } from "../../router.ts";
import { DeveloperPage } from "./layout.tsx";
import { OwnKey } from "./own-key.tsx";
import type { Usage } from "./usage-days.ts";

export function Keys() {
  return (
    <DeveloperPage
      current="keys"
      title="Keys and limits"
      lead="Every request for matches and players needs an API key. The key has limits, and each response says what is left."
    >
      <div className="stack keys">
        <OwnKey>{(usage) => <OwnLimits usage={usage} />}</OwnKey>
        <h2>How to send the key</h2>
        <p>
          In the <code>Authorization</code> header, with the media type in <code>Accept</code>. A
          request without a valid key gets 401, whatever is wrong with the key.
        </p>
        <Code
          language="text"
          text={"Authorization: Bearer YOUR_API_KEY\nAccept: application/vnd.api+json"}
          label="Headers of a request"
        />
        <p>
          Keep the key out of public repositories and web pages: whoever has it can use it. If it
          leaks, ask the operator to rotate it. The old key can keep working until you have replaced
          it.
        </p>
        <h2>What the limits are</h2>
        <Table caption="Limits" columns={COLUMNS} rows={LIMITS} keyOf={({ name }) => name} />
        <h2>What each response says</h2>
        <Code
          language="text"
          text={
            'RateLimit-Policy: "default";q=60;w=60\nRateLimit: "default";r=59;t=1\nX-RateLimit-Remaining: 59\nX-RateLimit-Reset: 1'
          }
          label="Headers of a response"
        />
        <p>
          After a 429, wait for the seconds in <code>Retry-After</code>. Requests with{" "}
          <code>If-None-Match</code> that get 304 do not count against the match quota. More in the{" "}
          <Link to={{ name: "developers", page: "guides", guide: "api" }}>API reference</Link>, and
          your own numbers under <Link to={{ name: "developers", page: "usage" }}>Usage</Link>.
        </p>
      </div>
    </DeveloperPage>
  );
}

interface Limit {
  name: string;
  about: ReactNode;
  code: string;
}

const LIMITS: readonly Limit[] = [
  {
    name: "Requests per minute",
    about: "A token bucket: the burst is available at once, and refills evenly.",
    code: "rate-limited",
  },
  {
    name: "Matches per day",
    about: "Different matches in responses, per UTC day. Against bulk scraping.",
    code: "quota-exceeded",
  },
  {
    name: "Streams",
    about: "Open event streams and waiting requests of the change feed at once.",
    code: "too-many-streams",
  },
  {
    name: "Invalid keys",
    about: "Requests with invalid keys are limited per IP address, against guessing.",
    code: "too-many-failures",
  },
];

const COLUMNS: readonly Column<Limit>[] = [
  { head: "Limit", isHead: true, cell: ({ name }) => name },
  { head: "What it counts", cell: ({ about }) => about },
  {
    head: "Beyond it",
    cell: ({ code }) => (
      <span className="keys-code">
        429 <code>{code}</code>
      </span>
    ),
  },
];

function OwnLimits({ usage }: { usage: Usage }) {
  return (
    <dl className="facts keys-limits">
      {figuresOf(usage).map(([name, figure, note]) => (
        <div key={name} className="card">
          <dt>{name}</dt>
          <dd>
            <span className="figure">{figure}</span>
            <span className="note">{note}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function figuresOf({ limits, key }: Usage): [name: string, figure: string, note: string][] {
  const { requestsPerMinute, burst, matchesPerDay, streams, changesPerMinute, shards } = limits;
  const number = (value: number) => value.toLocaleString("en");
  return [
    ["Requests per minute", number(requestsPerMinute), `${number(burst)} at once`],
    ["Matches per day", matchesPerDay === null ? "No limit" : number(matchesPerDay), "per UTC day"],
    ["Streams", number(streams), `${number(changesPerMinute)} changes per minute`],
    [
      "Regions",
      shards.includes("*") ? "All" : number(shards.length),
      shards.includes("*") ? `tier ${key.tier}` : shards.join(", "),
    ],
  ];
}
