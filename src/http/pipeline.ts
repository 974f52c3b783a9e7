/** Handles a request: one function lists its stages. */

import { AccessError } from "../access/key-database.ts";
import type { LiveKey } from "../access/key-lookup.ts";
import type { ErrorCode } from "../domain/errors.ts";
import { ApiError, apiError, internalError, uriTooLong } from "../endpoint/errors.ts";
import { EVENT_STREAM, MEDIA_TYPE, prefersEventStream } from "../endpoint/negotiate.ts";
import type { AllShardsRequest, ShardResult } from "../endpoint/shard-request.ts";
import type { Stopwatch } from "../endpoint/stopwatch.ts";
import { MAX_URL_LENGTH } from "../query/parameters.ts";
import { parseNoParameters } from "../query/parse-query.ts";
import { DamagedData, DamagedShard, NotReady, StoreError } from "../store/store.ts";
import { nearest } from "../text/nearest.ts";
import {
  authenticate,
  checkOpenRate,
  checkRate,
  checkShard,
  consumeQuota,
  countKeyless,
  takeRequest,
} from "./admission.ts";
import type { ServerContext } from "./context.ts";
import { pageHead } from "./page-head.ts";
import { recordsRequest, shardRequest } from "./records-request.ts";
import type { ApiRequest } from "./request.ts";
import {
  documentResponse,
  errorResponse,
  jsonResponse,
  overloadedResponse,
  planDelivery,
  preflightResponse,
  streamResponse,
} from "./response.ts";
import { type Found, findRoute, openApiPath, ROUTES } from "./routes.ts";

/** What is known about a request so far: for the log, and the headers for an error response. */
export interface RequestProgress {
  route: string | undefined;
  key: LiveKey | undefined;
  headers: Record<string, string>;
  records: number;
  /** Whether the request was counted by its IP address. */
  isCounted: boolean;
  /** The shard for which the request counts as in flight. */
  inFlightFor: string | undefined;
  code: ErrorCode | undefined;
  watch: Stopwatch;
}

export function newProgress(watch: Stopwatch): RequestProgress {
  return {
    ...{ route: undefined, key: undefined, headers: {}, records: 0 },
    ...{ isCounted: false, inFlightFor: undefined, code: undefined, watch },
  };
}

const METHODS = "GET, HEAD, OPTIONS";

export async function handleRequest(
  context: ServerContext,
  request: ApiRequest,
  progress: RequestProgress,
): Promise<Response> {
  const { watch } = progress;
  try {
    const found = resolveRoute(context, request);
    const { route, shard } = found;
    progress.route = route.path;
    if (request.method === "OPTIONS") {
      await countKeyless(context, request);
      return preflightResponse(request, METHODS);
    }
    checkMethod(request);
    watch.lap("route");
    if (route.access === "page" || route.access === "open") {
      progress.isCounted = true;
      await checkOpenRate(context, request, route.access === "open" && route.isHealthCheck);
    }
    if (route.access === "page") {
      const { view } = route;
      const head = view && (await pageHead(context, request, { ...found, view }, watch));
      return await context.portal!.answer(request, route.opens, found.id, head);
    }
    if (route.access === "open") {
      // Probes may add parameters, and one that gets an error would take the instance out of service.
      if (!route.isHealthCheck) checkNoParameters(context, request);
      return jsonResponse(request, await route.endpoint({ ...context, now: request.time }));
    }

    // First, because refusing must cost little; so a request that is refused counts against no limit.
    // Requests without a shard have a count of their own: no shard has the id of a path.
    const inFlightFor = shard || route.path;
    if (!context.overload.enter(inFlightFor, watch.began)) {
      progress.code = "overloaded";
      return overloadedResponse(request);
    }
    progress.inFlightFor = inFlightFor;
    const key = authenticate(context, request);
    progress.key = key;
    watch.lap("credentials");

    const verdict = await takeRequest(context, key, watch.began);
    const limitHeaders = checkRate(key, verdict);
    progress.headers = limitHeaders;
    if (route.access === "own") {
      checkNoParameters(context, request);
      return jsonResponse(request, await route.endpoint(context, key), limitHeaders);
    }
    const mayStream = "stream" in route && route.stream ? route.stream : undefined;
    const stream = mayStream && wantsStream(request) ? mayStream : undefined;
    if (!stream) checkAccept(context, request, mayStream !== undefined);
    watch.lap("limits");

    let result: ShardResult;
    if ("allShards" in route) {
      result = await route.allShards(await allShardsRequest(context, request, key, watch));
    } else {
      const reader = await context.shards.reader(shard);
      if (!reader) throw unknownShard(shard, await context.shards.list());
      checkShard(context, key, shard);
      const isWaiting = () => leave(context, progress);
      const checked = shardRequest(context, request, found, reader, key, watch, isWaiting);
      if (stream) return streamResponse(request, await stream(checked), limitHeaders);
      result = await route.endpoint(checked);
    }
    watch.lap("document");

    const { isUnchanged, encodings, etag } = planDelivery(request, result);
    // HEAD and 304 have no body and do not count.
    if (!isUnchanged && request.method === "GET") {
      await consumeQuota(context, key, result.matches, request.time);
      progress.records = result.records;
    }
    const body = isUnchanged ? undefined : await context.bodies.of(result.document, encodings);
    const response = documentResponse(request, body, etag, limitHeaders);
    watch.lap("response");
    return response;
  } catch (error) {
    // One without a key may be held back below.
    leave(context, progress);
    const shown =
      error instanceof ApiError
        ? error
        : unexpectedError(context, request, error, findRoute(request.path)?.shard ?? "");
    progress.code = shown.problems[0]!.code;
    if (!progress.key && !progress.isCounted) await countKeyless(context, request);
    return errorResponse(request, shown, progress.headers);
  } finally {
    leave(context, progress);
  }
}

/** May be called again. */
function leave({ overload }: ServerContext, progress: RequestProgress): void {
  const shard = progress.inFlightFor;
  if (shard === undefined) return;
  progress.inFlightFor = undefined;
  overload.leave(shard);
}

async function allShardsRequest(
  context: ServerContext,
  request: ApiRequest,
  key: LiveKey,
  watch: Stopwatch,
): Promise<AllShardsRequest> {
  const { shards, keys } = context;
  return {
    ...recordsRequest(context, request, watch),
    shards: (await shards.list()).filter((shard) => keys.mayRead(key, shard)),
    reader: (shard) => shards.reader(shard),
    failed: (shard, error) => unexpectedError(context, request, error, shard),
  };
}

function resolveRoute({ portal }: ServerContext, request: ApiRequest): Found {
  // Without scheme and host, which a proxy may have replaced by longer ones.
  if (request.path.length + request.query.length >= MAX_URL_LENGTH) throw uriTooLong();
  const found = findRoute(request.path);
  if (found && (found.route.access !== "page" || portal)) return found;
  const paths = ROUTES.map(openApiPath).join(", ");
  throw apiError("unknown-route", `There is no such path. Available paths: ${paths}.`);
}

function checkMethod({ method }: ApiRequest): void {
  if (method === "GET" || method === "HEAD") return;
  throw apiError(
    "method-not-allowed",
    `The API is read-only: use GET or HEAD instead of ${method}.`,
    {
      headers: { Allow: METHODS },
    },
  );
}

const wantsStream = ({ raw }: ApiRequest) => prefersEventStream(raw.headers.get("accept"));

function checkAccept({ profile }: ServerContext, { raw }: ApiRequest, canStream: boolean): void {
  if (profile.accepts(raw.headers.get("accept"))) return;
  const other = canStream ? `, or "Accept: ${EVENT_STREAM}" for a stream` : "";
  throw apiError(
    "not-acceptable",
    `Send the header "Accept: ${MEDIA_TYPE}" without parameters ("profile" is allowed)${other}. Generated clients often send "*/*" by default.`,
    { source: { header: "Accept" } },
  );
}

/** For paths that have none. */
function checkNoParameters({ profile }: ServerContext, { query }: ApiRequest): void {
  if (query === "") return;
  const problems = parseNoParameters(profile.query(query, undefined, new Set()));
  if (problems.length > 0) throw new ApiError(problems);
}

function unknownShard(shard: string, ids: string[]): ApiError {
  const guess = nearest(shard, ids);
  return apiError(
    "unknown-shard",
    ids.length === 0
      ? "There are no shards yet: the first records create them. Try again later."
      : `There is no such shard${guess ? `. Did you mean "${guess}"?` : "."} Available shards: ${ids.join(", ")}.`,
  );
}

/** The log gets the details; the caller learns only what to do. */
function unexpectedError(
  { observe }: ServerContext,
  { requestId }: ApiRequest,
  error: unknown,
  shard: string,
): ApiError {
  if (error instanceof DamagedData) {
    const { table, record } = error;
    observe({ event: "damaged-data", requestId, shard, table, record });
    return apiError(
      "damaged-data",
      "A record of this response is damaged in the store, so nothing is served. The operator has to restore it.",
      { headers: { "Retry-After": "300" } },
    );
  }
  // The verify reports what it finds.
  if (error instanceof DamagedShard) {
    return apiError(
      "damaged-data",
      "This shard is damaged in the store, so nothing is served. The operator has to restore it.",
      { headers: { "Retry-After": "300" } },
    );
  }
  if (error instanceof NotReady) {
    return apiError(
      "not-ready",
      "What this endpoint needs is being built from the records; everything else is served. Retry after 60 s.",
      { headers: { "Retry-After": "60" } },
    );
  }
  observe({ event: "failure", requestId, error });
  if (error instanceof StoreError) {
    return apiError(
      "shard-unavailable",
      "This shard is temporarily unavailable. Retry after 5 s.",
      {
        headers: { "Retry-After": "5" },
      },
    );
  }
  if (error instanceof AccessError) {
    return apiError(
      "usage-unavailable",
      "Usage data is temporarily unavailable. Retry after 5 s.",
      {
        headers: { "Retry-After": "5" },
      },
    );
  }
  return internalError();
}
