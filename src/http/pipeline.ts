/** In charge of the story of a request: one function that reads as the list of its stages. */

import { AccessError } from "../access/error.ts";
import type { LiveKey } from "../access/watch.ts";
import { type Awaitable, after } from "../domain/awaitable.ts";
import type { ErrorCode } from "../domain/errors.ts";
import { LONGEST_ADDRESS } from "../query/limits.ts";
import type { ReadableShards } from "../store/shards.ts";
import { type Reader, StoreError } from "../store/store.ts";
import { nearest } from "../text/nearest.ts";
import { authenticate, checkBudget, checkShard, limitRate, spendBudget } from "./admission.ts";
import type { Call } from "./call.ts";
import type { Answer } from "./endpoints.ts";
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

export function answer(service: Service, call: Call, progress: Progress): Awaitable<Response> {
  const refused = (error: unknown) => {
    const refusal = error instanceof Refusal ? error : apology(service, call, error);
    progress.code = refusal.problems[0]!.code;
    return refusalReply(call, refusal, progress.headers);
  };
  try {
    const reply = stages(service, call, progress);
    return reply instanceof Promise ? reply.catch(refused) : reply;
  } catch (error) {
    return refused(error);
  }
}

function stages(service: Service, call: Call, progress: Progress): Awaitable<Response> {
  const { watch } = progress;
  const found = route(service, call);
  progress.route = found.route.path;
  if (call.method === "OPTIONS") return preflightReply(call, METHODS);
  checkMethod(call);
  watch.lap("route");
  if (found.route.access === "page") {
    return service.portal!.answer(call, found.route.opens, found.id);
  }
  if (found.route.access === "open") {
    return after(found.route.endpoint({ ...service, now: call.time }), (said) =>
      sendJson(call, said),
    );
  }
  const key = authenticate(service, call);
  progress.key = key;
  watch.lap("credentials");
  const target = found.route;
  return after(limitRate(service, key, watch.began), (headers) => {
    progress.headers = headers;
    if (target.access === "own") {
      return after(target.endpoint(service, key), (said) => sendJson(call, said, headers));
    }
    const { endpoint, readsMatches } = target;
    return after(readsMatches ? checkBudget(service, key, call.time) : undefined, () => {
      checkAccept(service, call);
      watch.lap("limits");
      return after(readerOf(service, key, found), (reader) => {
        const { maxOffset, profile } = service;
        const address = call.base() + call.path;
        const { query, time: now } = call;
        const { shard, id } = found;
        const asked = { reader, shard, id, query, address, now, maxOffset, profile, watch };
        return after(endpoint(asked), (result) => {
          watch.lap("document");
          return deliver(service, call, progress, key, result);
        });
      });
    });
  });
}

/** Only what goes out in a body counts: neither a HEAD nor what the caller has already. */
function deliver(
  service: Service,
  call: Call,
  progress: Progress,
  key: LiveKey,
  result: Answer,
): Awaitable<Response> {
  const delivery = planDelivery(call, result);
  const isServed = !delivery.isKnown && call.method === "GET";
  return after(isServed ? spendBudget(service, key, result.sheets, call.time) : undefined, () => {
    if (isServed) progress.records = result.records;
    const response = sendDocument(call, result, delivery, progress.headers);
    progress.watch.lap("reply");
    return response;
  });
}

function route({ portal }: Service, call: Call): Found {
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

function readerOf(service: Service, key: LiveKey, found: Found): Awaitable<Reader> {
  return after(service.shards.reader(found.shard), (reader) => {
    if (!reader) return noShard(service.shards, found);
    checkShard(service, key, found.shard);
    return reader;
  });
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
