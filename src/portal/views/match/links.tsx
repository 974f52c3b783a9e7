/** In charge of the ways from a record to its data: its address in the interface, its JSON in the explorer. */

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
        <span className="visually-hidden">Address in the interface: </span>
        <code>{path}</code>
      </span>
      <Copy text={location.origin + path} label="Copy the address in the interface" />
      <Link className="button button-small" to={{ name: "explorer", search }}>
        JSON in the explorer
      </Link>
    </div>
  );
}
