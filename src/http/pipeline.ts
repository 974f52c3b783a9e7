/** Handles a request: one function that reads as the list of its stages. */

import { AccessError } from "../access/key-database.ts";
import type { LiveKey } from "../access/key-lookup.ts";
import type { ErrorCode } from "../domain/errors.ts";
import { MAX_URL_LENGTH } from "../query/parameters.ts";
import type { ReadableShards } from "../store/shards.ts";
import { type Reader, StoreError } from "../store/store.ts";
import { nearest } from "../text/nearest.ts";
import { authenticate, checkQuota, checkShard, consumeQuota, limitRate } from "./admission.ts";
import type { ServerContext } from "./context.ts";
import { ApiError, apiError, internalError } from "./errors.ts";
import { MEDIA_TYPE } from "./negotiate.ts";
import type { ApiRequest } from "./request.ts";
import {
  documentResponse,
  errorResponse,
  jsonResponse,
  planDelivery,
  preflightResponse,
} from "./response.ts";
import { type Found, findRoute, openApiPath, ROUTES } from "./routes.ts";
import type { ShardRequest } from "./shard-request.ts";
import type { Stopwatch } from "./stopwatch.ts";

/** What is known of a request so far, for the log, and the headers that an error response carries as well. */
export interface RequestProgress {
  route: string | undefined;
  key: LiveKey | undefined;
  headers: Record<string, string>;
  records: number;
  code: ErrorCode | undefined;
  watch: Stopwatch;
}

export function newProgress(watch: Stopwatch): RequestProgress {
  return {
    route: undefined,
    key: undefined,
    headers: {},
    records: 0,
    code: undefined,
    watch,
  };
}

const METHODS = "GET, HEAD, OPTIONS";

export async function handleRequest(
  context: ServerContext,
  request: ApiRequest,
  progress: RequestProgress,
): Promise<Response> {
  try {
    return await stages(context, request, progress);
  } catch (error) {
    const shown = error instanceof ApiError ? error : unexpectedError(context, request, error);
    progress.code = shown.problems[0]!.code;
    return errorResponse(request, shown, progress.headers);
  }
}

async function stages(
  context: ServerContext,
  request: ApiRequest,
  progress: RequestProgress,
): Promise<Response> {
  const { watch } = progress;
  const found = resolveRoute(context, request);
  const { route } = found;
  progress.route = route.path;
  if (request.method === "OPTIONS") return preflightResponse(request, METHODS);
  checkMethod(request);
  watch.lap("route");
  if (route.access === "page") return context.portal!.answer(request, route.opens, found.id);
  if (route.access === "open") {
    return jsonResponse(request, await route.endpoint({ ...context, now: request.time }));
  }

  const key = authenticate(context, request);
  progress.key = key;
  watch.lap("credentials");

  progress.headers = await limitRate(context, key, watch.began);
  if (route.access === "own") {
    return jsonResponse(request, await route.endpoint(context, key), progress.headers);
  }
  if (route.readsMatches) await checkQuota(context, key, request.time);
  checkAccept(context, request);
  watch.lap("limits");

  const reader = await readerOf(context, key, found);
  const result = await route.endpoint(shardRequest(context, request, found, reader, watch));
  watch.lap("document");

  // Only what is sent in a body counts: neither HEAD nor 304.
  const delivery = planDelivery(request, result);
  if (!delivery.isUnchanged && request.method === "GET") {
    await consumeQuota(context, key, result.matches, request.time);
    progress.records = result.records;
  }
  const response = documentResponse(request, result, delivery, progress.headers);
  watch.lap("reply");
  return response;
}

function shardRequest(
  { maxOffset, profile }: ServerContext,
  request: ApiRequest,
  { shard, id }: Found,
  reader: Reader,
  watch: Stopwatch,
): ShardRequest {
  const { query, time: now } = request;
  const url = request.baseUrl() + request.path;
  return { reader, shard, id, query, url, now, maxOffset, profile, watch };
}

function resolveRoute({ portal }: ServerContext, request: ApiRequest): Found {
  if (request.raw.url.length > MAX_URL_LENGTH) {
    throw apiError(
      "uri-too-long",
      `The address is longer than ${MAX_URL_LENGTH} characters. Ask for fewer values at once.`,
    );
  }
  const found = findRoute(request.path);
  if (found && (found.route.access !== "page" || portal)) return found;
  const paths = ROUTES.map(openApiPath).join(", ");
  throw apiError("unknown-route", `Nothing is served at this address. There are: ${paths}.`);
}

function checkMethod({ method }: ApiRequest): void {
  if (method === "GET" || method === "HEAD") return;
  throw apiError("method-not-allowed", `Records are read-only: use GET or HEAD, not ${method}.`, {
    headers: { Allow: METHODS },
  });
}

function checkAccept({ profile }: ServerContext, { raw }: ApiRequest): void {
  if (profile.accepts(raw.headers.get("accept"))) return;
  throw apiError(
    "not-acceptable",
    `Send the header "Accept: ${MEDIA_TYPE}", without any parameter but "profile". Generated clients often send "*/*" until they are configured to send this header.`,
    { source: { header: "Accept" } },
  );
}

async function readerOf(context: ServerContext, key: LiveKey, found: Found): Promise<Reader> {
  const reader = await context.shards.reader(found.shard);
  if (!reader) return noShard(context.shards, found);
  checkShard(context, key, found.shard);
  return reader;
}

async function noShard(shards: ReadableShards, found: Found): Promise<never> {
  const ids = await shards.list();
  const guess = nearest(found.shard, ids);
  throw apiError(
    "unknown-shard",
    ids.length === 0
      ? "There are no shards here yet: they come with the first records. Try again later."
      : `There is no such shard${guess ? `; did you mean "${guess}"?` : "."} There are: ${ids.join(", ")}.`,
  );
}

/** The details are for the operator; the caller learns only what to do. */
function unexpectedError(
  { observe }: ServerContext,
  request: ApiRequest,
  error: unknown,
): ApiError {
  observe({ event: "failure", requestId: request.requestId, error });
  if (error instanceof StoreError) {
    return apiError("shard-unavailable", "This shard cannot be read right now. Try again soon.", {
      headers: { "Retry-After": "5" },
    });
  }
  if (error instanceof AccessError) {
    return apiError("usage-unavailable", "Usage cannot be read right now. Try again soon.", {
      headers: { "Retry-After": "5" },
    });
  }
  return internalError();
}
