/** Links from a record to its data: the API URL and the explorer. */

import { Copy } from "../../kit/copy.tsx";
import { Link } from "../../router.ts";

interface Props {
  shard: string;
  on: "match" | "player";
  id: string;
}

export function RecordLinks({ shard, on, id }: Props) {
  const collection = on === "match" ? "matches" : "players";
  const path = `/shards/${encodeURIComponent(shard)}/${collection}/${encodeURIComponent(id)}`;
  const search = new URLSearchParams({ shard, on, id });
  return (
    <div className="record-links">
      <span className="record-path">
        <span className="visually-hidden">API path: </span>
        <code>{path}</code>
      </span>
      <Copy text={location.origin + path} label="Copy API URL" />
      <Link className="button button-small" to={{ name: "explorer", search }}>
        Open in Explorer
      </Link>
    </div>
  );
}
