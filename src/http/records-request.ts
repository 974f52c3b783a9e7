/** Makes what an endpoint is given from a request that has passed all checks. */

import type { LiveKey } from "../access/key-lookup.ts";
import type { ShardRequest } from "../endpoint/shard-request.ts";
import type { Reader } from "../store/store.ts";
import type { ServerContext } from "./context.ts";
import type { ApiRequest } from "./request.ts";

/** Written out, because spreading the parts takes as long as many a stage. */
export function shardRequest(
  { maxOffset, profile, results, running }: ServerContext,
  request: ApiRequest,
  { shard, id }: { shard: string; id: string },
  reader: Reader,
  key: LiveKey,
): ShardRequest {
  const { requestId, raw, query, time: now } = request;
  const url = request.baseUrl() + request.path;
  return {
    requestId,
    raw,
    key,
    query,
    url,
    now,
    reader,
    shard,
    id,
    maxOffset,
    profile,
    results,
    running,
  };
}
