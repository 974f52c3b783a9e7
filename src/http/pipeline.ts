/** Handles a request: one function lists its stages. */

import { AccessError } from "../access/key-database.ts";
import type { LiveKey } from "../access/key-lookup.ts";
import { type Awaitable, after } from "../domain/awaitable.ts";
import type { ErrorCode } from "../domain/errors.ts";
import { ApiError, apiError, internalError, uriTooLong } from "../endpoint/errors.ts";
import { EVENT_STREAM, MEDIA_TYPE, prefersEventStream } from "../endpoint/negotiate.ts";
import {
  type AllShardsRequest,
  type RecordsRoute,
  readQuery,
  type ShardResult,
} from "../endpoint/shard-request.ts";
import { MAX_URL_LENGTH, NO_PARAMETERS } from "../query/parameters.ts";
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
import type { Body } from "./body.ts";
import type { ServerContext } from "./context.ts";
import { pageHead } from "./page-head.ts";
import { shardRequest } from "./records-request.ts";
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

const METHODS = "GET, HEAD, OPTIONS";

/** Handles a request, and reports it. Where nothing has to be waited for, its response is there at once. */
export function handleRequest(context: ServerContext, request: ApiRequest): Awaitable<Response> {
  const { state } = context;
  state.inFlight += 1;
  const fail = (error: unknown) => failed(context, request, error);
  let answered: Awaitable<Response>;
  try {
    answered = answer(context, request);
  } catch (error) {
    answered = fail(error);
  }
  return after(answered instanceof Promise ? answered.catch(fail) : answered, (response) => {
    leave(context, request);
    state.inFlight -= 1;
    if (state.isStopping) response.headers.set("Connection", "close");
    report(context, request, response.status);
    return response;
  });
}

function report({ observe }: ServerContext, request: ApiRequest, status: number): void {
  const { requestId, method, path, query, route, shard, code, records, key } = request;
  const milliseconds = request.elapsed();
  observe({
    event: "request",
    requestId,
    method,
    path,
    query,
    route,
    shard,
    status,
    code,
    time: Math.round(request.time + milliseconds),
    milliseconds,
    keyId: key?.id,
    tier: key?.limits.tier,
    records,
  });
}

function answer(context: ServerContext, request: ApiRequest): Awaitable<Response> {
  const found = resolveRoute(context, request);
  const { route } = found;
  request.route = route.path;
  request.shard = found.shard;
  if (request.method === "OPTIONS") {
    return countKeyless(context, request).then(() => preflightResponse(request, METHODS));
  }
  checkMethod(request);
  return route.access === "page" || route.access === "open"
    ? answerAnyone(context, request, route, found)
    : answerKey(context, request, route, found);
}

/** Requests without a key. */
async function answerAnyone(
  context: ServerContext,
  request: ApiRequest,
  route: Extract<Found["route"], { access: "page" | "open" }>,
  found: Found,
): Promise<Response> {
  request.isCounted = true;
  await checkOpenRate(context, request, route.access === "open" && route.isHealthCheck === true);
  if (route.access === "page") {
    const { view, topic } = route;
    const head = view && (await pageHead(context, request, { ...found, view, topic }));
    return context.portal!.answer(request, route.opens, found.id, head);
  }
  // Probes may add parameters, and one that gets an error would take the instance out of service.
  if (!route.isHealthCheck) checkNoParameters(context, request);
  return jsonResponse(request, await route.endpoint({ ...context, now: request.time }));
}

/** The stages of a request with a key. */
function answerKey(
  context: ServerContext,
  request: ApiRequest,
  route: Extract<Found["route"], { access: "key" | "own" }>,
  found: Found,
): Awaitable<Response> {
  const { began } = request;
  // First, because refusing must cost little; so a request that is refused counts against no limit.
  // Requests without a shard have a count of their own: no shard has the id of a path.
  const inFlightFor = found.shard || route.path;
  if (!context.overload.enter(inFlightFor, began)) {
    request.code = "overloaded";
    return overloadedResponse(request.requestId);
  }
  request.inFlightFor = inFlightFor;
  const key = authenticate(context, request);
  request.key = key;
  return after(takeRequest(context, key, began), (verdict) => {
    request.limitHeaders = checkRate(key, verdict);
    if (route.access === "own") {
      checkNoParameters(context, request);
      return route.endpoint(context, key).then((result) => jsonResponse(request, result));
    }
    const isStream = wantsStream(route, request);
    if (!isStream) checkAccept(context, request, "stream" in route);
    if ("allShards" in route) {
      return allShardsRequest(context, request, key)
        .then(route.allShards)
        .then((result) => deliver(context, request, key, result));
    }
    return after(context.shards.reader(found.shard), (reader) => {
      if (!reader) return noSuchShard(context, found.shard);
      checkShard(context, key, found.shard);
      const checked = shardRequest(context, request, found, reader, key);
      return isStream
        ? route.stream!(checked).then((stream) => streamResponse(request, stream))
        : after(route.endpoint(checked), (result) => deliver(context, request, key, result));
    });
  });
}

function deliver(
  context: ServerContext,
  request: ApiRequest,
  key: LiveKey,
  result: ShardResult,
): Awaitable<Response> {
  const { isUnchanged, encoding, etag } = planDelivery(request, result);
  const respond = (body: Body | undefined) => documentResponse(request, body, etag);
  const send = () => after(context.bodies.of(result.document, encoding), respond);
  // HEAD and 304 have no body and do not count.
  if (isUnchanged) return respond(undefined);
  if (request.method !== "GET") return send();
  return after(consumeQuota(context, key, result.matches, request.time), () => {
    request.records = result.records;
    return send();
  });
}

async function failed(
  context: ServerContext,
  request: ApiRequest,
  error: unknown,
): Promise<Response> {
  // One without a key may be held back.
  leave(context, request);
  const shown =
    error instanceof ApiError ? error : unexpectedError(context, request, error, request.shard);
  request.code = shown.problems[0]!.code;
  if (!request.key && !request.isCounted) await countKeyless(context, request);
  return errorResponse(request, shown);
}

/** May be called again. */
function leave({ overload }: ServerContext, request: ApiRequest): void {
  const shard = request.inFlightFor;
  if (shard === undefined) return;
  request.inFlightFor = undefined;
  overload.leave(shard);
}

async function allShardsRequest(
  context: ServerContext,
  request: ApiRequest,
  key: LiveKey,
): Promise<AllShardsRequest> {
  const { shards, keys, maxOffset, profile } = context;
  const { query, time: now } = request;
  return {
    ...{ query, url: request.baseUrl() + request.path, now, maxOffset, profile },
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

const wantsStream = (route: RecordsRoute, { raw }: ApiRequest): boolean =>
  "stream" in route && prefersEventStream(raw.headers.get("accept"));

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
function checkNoParameters({ profile, maxOffset }: ServerContext, request: ApiRequest): void {
  const { query, path: url, time: now } = request;
  readQuery({ query, url, now, maxOffset, profile }, NO_PARAMETERS);
}

async function noSuchShard({ shards }: ServerContext, shard: string): Promise<never> {
  const ids = await shards.list();
  const guess = nearest(shard, ids);
  throw apiError(
    "unknown-shard",
    ids.length === 0
      ? "There are no shards yet: the first records create them. Try again later."
      : `There is no such shard${guess ? `. Did you mean "${guess}"?` : "."} Available shards: ${ids.join(", ")}.`,
  );
}

/** What the caller learns of a failure, by its class: the first that fits. */
const FAILURES: [
  failure: abstract new (...parts: never[]) => Error,
  code: ErrorCode,
  detail: string,
  retryAfter: number,
][] = [
  [
    DamagedData,
    "damaged-data",
    "A record of this response is damaged in the store, so nothing is served. The operator has to restore it.",
    300,
  ],
  [
    DamagedShard,
    "damaged-data",
    "This shard is damaged in the store, so nothing is served. The operator has to restore it.",
    300,
  ],
  [
    NotReady,
    "not-ready",
    "What this endpoint needs is being built from the records; everything else is served. Retry after 60 s.",
    60,
  ],
  [StoreError, "shard-unavailable", "This shard is temporarily unavailable. Retry after 5 s.", 5],
  [AccessError, "usage-unavailable", "Usage data is temporarily unavailable. Retry after 5 s.", 5],
];

/** The log gets the details. */
function unexpectedError(
  { observe }: ServerContext,
  { requestId }: ApiRequest,
  error: unknown,
  shard: string,
): ApiError {
  if (error instanceof DamagedData) {
    const { table, record } = error;
    observe({ event: "damaged-data", requestId, shard, table, record });
  } else if (!(error instanceof DamagedShard || error instanceof NotReady)) {
    // Of these two, the verify and the build report what they find.
    observe({ event: "failure", requestId, error });
  }
  const known = FAILURES.find(([failure]) => error instanceof failure);
  if (!known) return internalError();
  const [, code, detail, retryAfter] = known;
  return apiError(code, detail, { retryAfter });
}
