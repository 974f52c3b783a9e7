/** In charge of the line that asks for the newest match, ready to be pasted into a terminal. */

import { useId, useState } from "react";
import { Copy } from "../../kit/copy.tsx";
import { Gauge } from "../../kit/gauge.tsx";
import { useLoad } from "../../kit/load.ts";
import { askForKey, useSession } from "../../session.ts";

const PLACEHOLDER = "YOUR_KEY";

export function Request() {
  const { key, shard } = useSession();
  const [isShown, setShown] = useState(false);
  const copied = curlLine(shard, key ?? PLACEHOLDER);
  const seen = key && !isShown ? curlLine(shard, `${key.slice(0, 6)}…`) : copied;
  return (
    <section className="start-request" aria-labelledby="start-request">
      <div className="start-head">
        <h2 id="start-request">Ask</h2>
        <ShardChoice />
      </div>
      <pre className="code start-curl">{seen}</pre>
      <div className="start-tools">
        <Copy text={copied} label="Copy the curl line" />
        {key ? (
          <button
            type="button"
            className="button button-small button-plain"
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? "Hide the key" : "Show the key"}
          </button>
        ) : (
          <button type="button" className="button button-small" onClick={() => askForKey()}>
            Add your key
          </button>
        )}
        <Gauge />
      </div>
      <p className="start-note">
        Two headers are all there is to it: the key, and the media type of JSON:API. Filters,
        sorting and paging go into the address.
      </p>
    </section>
  );
}

/** Broken where a reader would break it; a shell takes it as it is. */
function curlLine(shard: string, key: string): string {
  return [
    `curl -G --compressed '${location.origin}/shards/${shard || "SHARD"}/matches' \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    "  -H 'Accept: application/vnd.api+json' \\",
    "  -d 'sort=-createdAt' -d 'page[limit]=1'",
  ].join("\n");
}

function ShardChoice() {
  const { matchbook, shard, setShard } = useSession();
  const status = useLoad((signal) => matchbook.status({ signal }), [matchbook]);
  const id = useId();
  const shards = status.value?.shards.map((one) => one.id) ?? (shard ? [shard] : []);
  return (
    <p className="start-shard">
      <label htmlFor={id}>Shard</label>
      <select
        id={id}
        className="input start-select"
        value={shard}
        disabled={shards.length === 0}
        onChange={(event) => setShard(event.target.value)}
      >
        {shards.length === 0 && <option value="">none yet</option>}
        {shards.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </p>
  );
}
