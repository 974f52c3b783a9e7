/** Keys and limits: the visitor's own key, what it may do, and how to send it. */

import "./keys.css";
import { count } from "../../format.ts";
import { Code } from "../../kit/code.tsx";
import { Figures } from "../../kit/figures.tsx";
import { Link } from "../../router.ts";
import { DeveloperPage } from "./layout.tsx";
import { OwnKey } from "./own-key.tsx";
import type { Usage } from "./usage-days.ts";

export function Keys() {
  return (
    <DeveloperPage
      current="keys"
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
        <h2>Limits</h2>
        <p>
          Each response says what is left, in <code>RateLimit</code> headers. Beyond a limit you get
          429: wait for the seconds in <code>Retry-After</code>. Requests with{" "}
          <code>If-None-Match</code> that get 304 do not count against the match quota. The{" "}
          <Link to={{ name: "developers", page: "guides", guide: "api" }}>API reference</Link> lists
          every limit, and <Link to={{ name: "developers", page: "usage" }}>Usage</Link> shows your
          own numbers.
        </p>
      </div>
    </DeveloperPage>
  );
}

function OwnLimits({ usage: { limits, key } }: { usage: Usage }) {
  const { requestsPerMinute, burst, matchesPerDay, streams, changesPerMinute, shards } = limits;
  const isAll = shards.includes("*");
  return (
    <Figures
      figures={[
        {
          label: "Requests per minute",
          value: count(requestsPerMinute),
          note: `${count(burst)} at once`,
        },
        {
          label: "Matches per day",
          value: matchesPerDay === null ? "No limit" : count(matchesPerDay),
          note: "per UTC day",
        },
        {
          label: "Streams",
          value: count(streams),
          note: `${count(changesPerMinute)} changes per minute`,
        },
        {
          label: "Regions",
          value: isAll ? "All" : count(shards.length),
          note: isAll ? `tier ${key.tier}` : shards.join(", "),
        },
      ]}
    />
  );
}
