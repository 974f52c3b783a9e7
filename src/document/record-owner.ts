/** Whose records a store has. Every stored record names its shard; files and schemas do not. */

import { whole } from "../store/byte-range.ts";
import { type Fragment, OtherOwner } from "../store/store.ts";
import { readEncodedMatch } from "./encoded-match.ts";
import { piecesText } from "./gzip.ts";

/** Throws OtherOwner if one of these encoded matches belongs to another shard. */
export function checkOwner(shard: string, location: string, records: readonly Fragment[]): void {
  for (const record of records) {
    const owner = ownerOf(record);
    if (owner !== undefined && owner !== shard) throw new OtherOwner(location, shard, owner);
  }
}

/** Undefined if it cannot be read: then the requests that need it report it. */
function ownerOf(record: Fragment): string | undefined {
  try {
    const { resource } = readEncodedMatch(whole(record));
    return JSON.parse(piecesText([resource])).attributes.shardId;
  } catch {
    return undefined;
  }
}
