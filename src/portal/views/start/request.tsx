/** A curl command for the newest match, ready to paste into a terminal. */

import { useId, useState } from "react";
import { Copy } from "../../kit/copy.tsx";
import { Gauge } from "../../kit/gauge.tsx";
import { useLoad } from "../../kit/load.ts";
import { askForKey, useSession } from "../../session.ts";

const PLACEHOLDER = "YOUR_KEY";

export function Request() {
  const { key, shard } = useSession();
  const [isShown, setShown] = useState(false);
  const copied = curlCommand(shard, key ?? PLACEHOLDER);
  const shown = key && !isShown ? curlCommand(shard, `${key.slice(0, 6)}…`) : copied;
  return (
    <section className="start-request" aria-labelledby="start-request">
      <div className="start-head">
        <h2 id="start-request">Request</h2>
        <RegionSelect />
      </div>
      <pre className="code start-curl">{shown}</pre>
      <div className="start-tools">
        <Copy text={copied} label="Copy curl command" />
        {key ? (
          <button
            type="button"
            className="button button-small button-plain"
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? "Hide key" : "Show key"}
          </button>
        ) : (
          <button type="button" className="button button-small" onClick={() => askForKey()}>
            Add API key
          </button>
        )}
        <Gauge />
      </div>
      <p className="start-note">
        Every request needs two headers: your API key and the JSON:API media type. Filters, sorting
        and paging go in the query string.
      </p>
    </section>
  );
}

/** Broken into lines for readability; it can be pasted into a shell as it is. */
function curlCommand(shard: string, key: string): string {
  return [
    `curl -G --compressed '${location.origin}/shards/${shard || "SHARD"}/matches' \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    "  -H 'Accept: application/vnd.api+json' \\",
    "  -d 'sort=-createdAt' -d 'page[limit]=1'",
  ].join("\n");
}

function RegionSelect() {
  const { matchbook, shard, setShard } = useSession();
  const status = useLoad((signal) => matchbook.status({ signal }), [matchbook]);
  const id = useId();
  const shards = status.value?.shards.map((one) => one.id) ?? (shard ? [shard] : []);
  return (
    <p className="start-shard">
      <label htmlFor={id}>Region</label>
      <select
        id={id}
        className="input start-select"
        value={shard}
        disabled={shards.length === 0}
        onChange={(event) => setShard(event.target.value)}
      >
        {shards.length === 0 && <option value="">None yet</option>}
        {shards.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </p>
  );
}
