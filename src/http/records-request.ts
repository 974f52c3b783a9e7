/** Makes what an endpoint is given from a request that has passed all checks. */

import type { LiveKey } from "../access/key-lookup.ts";
import type { RecordsRequest, ShardRequest } from "../endpoint/shard-request.ts";
import type { Stopwatch } from "../endpoint/stopwatch.ts";
import type { Reader } from "../store/store.ts";
import type { ServerContext } from "./context.ts";
import type { ApiRequest } from "./request.ts";

export function shardRequest(
  context: ServerContext,
  request: ApiRequest,
  { shard, id }: { shard: string; id: string },
  reader: Reader,
  key: LiveKey,
  watch: Stopwatch,
  isWaiting: () => void,
): ShardRequest {
  const { results, running } = context;
  const { requestId, raw } = request;
  return {
    ...recordsRequest(context, request, watch),
    ...{ requestId, reader, shard, id, results, raw, key, running, isWaiting },
  };
}

export function recordsRequest(
  { maxOffset, profile }: ServerContext,
  request: ApiRequest,
  watch: Stopwatch,
): RecordsRequest {
  const { query, time: now } = request;
  return { query, url: request.baseUrl() + request.path, now, maxOffset, profile, watch };
}
