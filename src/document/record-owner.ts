/** Whose records a store has. Every stored record names its shard; files and schemas do not. */

import { whole } from "../store/byte-range.ts";
import { type Fragment, OtherOwner } from "../store/store.ts";
import { readEncodedMatch } from "./encoded-match.ts";
import { piecesText } from "./gzip.ts";

/** Throws OtherOwner if one of these encoded matches belongs to another shard. */
export function checkOwner(shard: string, location: string, records: readonly Fragment[]): void {
  for (const record of records) {
    const { resource } = readEncodedMatch(whole(record));
    const { shardId } = JSON.parse(piecesText([resource])).attributes;
    if (shardId !== shard) throw new OtherOwner(location, shard, shardId);
  }
}
