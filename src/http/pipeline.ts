/** In charge of the story of a request: one function that reads as the list of its stages. */

import { AccessError } from "../access/database.ts";
import type { LiveKey } from "../access/key-lookup.ts";
import type { ErrorCode } from "../domain/errors.ts";
import { LONGEST_ADDRESS } from "../query/limits.ts";
import type { ReadableShards } from "../store/shards.ts";
import { type Reader, StoreError } from "../store/store.ts";
import { nearest } from "../text/nearest.ts";
import { authenticate, checkBudget, checkShard, limitRate, spendBudget } from "./admission.ts";
import type { Call } from "./call.ts";
import type { ShardCall } from "./endpoints.ts";
import { MEDIA_TYPE } from "./negotiate.ts";
import { internalError, Refusal, refuse } from "./refusal.ts";
import { planDelivery, preflightReply, refusalReply, sendDocument, sendJson } from "./reply.ts";
import { type Found, findRoute, ROUTES, writtenPath } from "./routes.ts";
import type { Service } from "./serving.ts";
import type { Stopwatch } from "./stopwatch.ts";

/** What is known of a call so far; a refusal is sent with whatever headers it has earned by then. */
export interface Progress {
  route: string | undefined;
  key: LiveKey | undefined;
  headers: Record<string, string>;
  records: number;
  code: ErrorCode | undefined;
  watch: Stopwatch;
}

export function newProgress(watch: Stopwatch): Progress {
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

export async function answer(service: Service, call: Call, progress: Progress): Promise<Response> {
  try {
    return await stages(service, call, progress);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : apology(service, call, error);
    progress.code = refusal.problems[0]!.code;
    return refusalReply(call, refusal, progress.headers);
  }
}

async function stages(service: Service, call: Call, progress: Progress): Promise<Response> {
  const { watch } = progress;
  const found = findRequested(service, call);
  const { route } = found;
  progress.route = route.path;
  if (call.method === "OPTIONS") return preflightReply(call, METHODS);
  checkMethod(call);
  watch.lap("route");
  if (route.access === "page") return service.portal!.answer(call, route.opens, found.id);
  if (route.access === "open") {
    return sendJson(call, await route.endpoint({ ...service, now: call.time }));
  }

  const key = authenticate(service, call);
  progress.key = key;
  watch.lap("credentials");

  progress.headers = await limitRate(service, key, watch.began);
  if (route.access === "own") {
    return sendJson(call, await route.endpoint(service, key), progress.headers);
  }
  if (route.readsMatches) await checkBudget(service, key, call.time);
  checkAccept(service, call);
  watch.lap("limits");

  const reader = await readerOf(service, key, found);
  const result = await route.endpoint(shardCall(service, call, found, reader, watch));
  watch.lap("document");

  // Only what goes out in a body counts: neither a HEAD nor what the caller has already.
  const delivery = planDelivery(call, result);
  if (!delivery.isKnown && call.method === "GET") {
    await spendBudget(service, key, result.sheets, call.time);
    progress.records = result.records;
  }
  const response = sendDocument(call, result, delivery, progress.headers);
  watch.lap("reply");
  return response;
}

function shardCall(
  { maxOffset, profile }: Service,
  call: Call,
  { shard, id }: Found,
  reader: Reader,
  watch: Stopwatch,
): ShardCall {
  const { query, time: now } = call;
  const address = call.base() + call.path;
  return { reader, shard, id, query, address, now, maxOffset, profile, watch };
}

function findRequested({ portal }: Service, call: Call): Found {
  if (call.request.url.length > LONGEST_ADDRESS) {
    throw refuse(
      "uri-too-long",
      `The address is longer than ${LONGEST_ADDRESS} characters. Ask for fewer values at once.`,
    );
  }
  const found = findRoute(call.path);
  if (found && (found.route.access !== "page" || portal)) return found;
  const paths = ROUTES.map(writtenPath).join(", ");
  throw refuse("unknown-route", `Nothing is served at this address. There are: ${paths}.`);
}

function checkMethod({ method }: Call): void {
  if (method === "GET" || method === "HEAD") return;
  throw refuse("method-not-allowed", `Records are read-only: use GET or HEAD, not ${method}.`, {
    headers: { Allow: METHODS },
  });
}

function checkAccept({ profile }: Service, { request }: Call): void {
  if (profile.accepts(request.headers.get("accept"))) return;
  throw refuse(
    "not-acceptable",
    `Send the header "Accept: ${MEDIA_TYPE}", without any parameter but "profile". Generated clients often send "*/*" until they are configured to send this header.`,
    { source: { header: "Accept" } },
  );
}

async function readerOf(service: Service, key: LiveKey, found: Found): Promise<Reader> {
  const reader = await service.shards.reader(found.shard);
  if (!reader) return noShard(service.shards, found);
  checkShard(service, key, found.shard);
  return reader;
}

async function noShard(shards: ReadableShards, found: Found): Promise<never> {
  const ids = await shards.list();
  const guess = nearest(found.shard, ids);
  throw refuse(
    "unknown-shard",
    ids.length === 0
      ? "There are no shards here yet: they come with the first records. Try again later."
      : `There is no such shard${guess ? `; did you mean "${guess}"?` : "."} There are: ${ids.join(", ")}.`,
  );
}

/** What went wrong is for the operator; the caller learns only what to do. */
function apology({ observe }: Service, call: Call, error: unknown): Refusal {
  observe({ event: "failure", requestId: call.requestId, error });
  if (error instanceof StoreError) {
    return refuse("shard-unavailable", "This shard cannot be read right now. Try again soon.", {
      headers: { "Retry-After": "5" },
    });
  }
  if (error instanceof AccessError) {
    return refuse("usage-unavailable", "Usage cannot be read right now. Try again soon.", {
      headers: { "Retry-After": "5" },
    });
  }
  return internalError();
}
