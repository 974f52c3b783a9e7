/** In charge of the story of a request: one function that reads as the list of its stages. */

import type { Policy, Verdict } from "../access/bucket.ts";
import type { LiveKey } from "../access/keyring.ts";
import type { Limiter } from "../access/limiter.ts";
import { limitHeaders, policyFor } from "../access/limiter.ts";
import type { Observe } from "../observe/events.ts";
import { LONGEST_ADDRESS } from "../query/limits.ts";
import type { ReadableShards } from "../store/shards.ts";
import { type Awaitable, after, type Reader, StoreError } from "../store/store.ts";
import { nearest } from "../text/nearest.ts";
import type { Call } from "./call.ts";
import { MEDIA_TYPE } from "./negotiate.ts";
import type { Profile } from "./profile.ts";
import { Refusal, refuse } from "./refusal.ts";
import { preflightReply, refusalReply, sendDocument, sendJson } from "./reply.ts";
import { type Found, findRoute, ROUTES, writtenPath } from "./routes.ts";

export interface Service {
  version: string;
  /** The OpenAPI document of this service. */
  openApi: object;
  startedAt: number;
  shards: ReadableShards;
  keys: { find(authorization: string | null): LiveKey | undefined };
  limiter: Limiter;
  policy: Policy;
  maxOffset: number;
  profile: Profile;
  clock: { now(): number; monotonic(): number };
  observe: Observe;
}

/** What is known of a call so far; a refusal is sent with whatever headers it has earned by then. */
export interface Progress {
  keyId: string | undefined;
  headers: Record<string, string>;
}

const METHODS = "GET, HEAD, OPTIONS";

export function answer(service: Service, call: Call, progress: Progress): Awaitable<Response> {
  const refused = (error: unknown) =>
    refusalReply(
      call,
      error instanceof Refusal ? error : apology(service, call, error),
      progress.headers,
    );
  try {
    const reply = stages(service, call, progress);
    return reply instanceof Promise ? reply.catch(refused) : reply;
  } catch (error) {
    return refused(error);
  }
}

function stages(service: Service, call: Call, progress: Progress): Awaitable<Response> {
  const found = route(call);
  if (call.method === "OPTIONS") return preflightReply(call, METHODS);
  checkMethod(call);
  if (found.route.access === "open") {
    const { clock, ...state } = service;
    return after(found.route.endpoint({ ...state, now: clock.now() }), (said) =>
      sendJson(call, said),
    );
  }
  const { endpoint } = found.route;
  const key = authenticate(service, call);
  progress.keyId = key.id;
  const policy = policyFor(key, service.policy);
  const charge = service.limiter.take(key.id, policy, service.clock.monotonic());
  return after(charge, (verdict) => {
    progress.headers = limit(policy, verdict);
    checkAccept(service, call);
    return after(shard(service, found), (reader) => {
      const { maxOffset, profile, clock } = service;
      const address = call.base() + call.path;
      const { id } = found;
      const { query } = call;
      const asked = { reader, id, query, address, now: clock.now(), maxOffset, profile };
      return after(endpoint(asked), (result) => sendDocument(call, result, progress.headers));
    });
  });
}

function route(call: Call): Found {
  if (call.request.url.length > LONGEST_ADDRESS) {
    throw refuse(
      "uri-too-long",
      `The address is longer than ${LONGEST_ADDRESS} characters. Ask for fewer values at once.`,
    );
  }
  const found = findRoute(call.path);
  if (found) return found;
  const paths = ROUTES.map(writtenPath).join(", ");
  throw refuse("unknown-route", `Nothing is served at this address. There are: ${paths}.`);
}

function checkMethod({ method }: Call): void {
  if (method === "GET" || method === "HEAD") return;
  throw refuse("method-not-allowed", `Records are read-only: use GET or HEAD, not ${method}.`, {
    headers: { Allow: METHODS },
  });
}

function authenticate(service: Service, { request }: Call): LiveKey {
  const header = service.profile.authorization(request.headers.get("authorization"));
  const key = service.keys.find(header);
  if (key) return key;
  throw refuse(
    "unauthorized",
    'Send the header "Authorization: Bearer <API_KEY>" with a key that is in force.',
    { source: { header: "Authorization" }, headers: { "WWW-Authenticate": "Bearer" } },
  );
}

function limit(policy: Policy, verdict: Verdict): Record<string, string> {
  const headers = limitHeaders(policy, verdict);
  if (verdict.allowed) return headers;
  throw refuse(
    "rate-limited",
    `This key may send ${policy.rate} requests a minute. Wait ${verdict.retryAfterSeconds} s before the next one.`,
    { headers },
  );
}

function checkAccept({ profile }: Service, { request }: Call): void {
  if (profile.accepts(request.headers.get("accept"))) return;
  throw refuse(
    "not-acceptable",
    `Send the header "Accept: ${MEDIA_TYPE}", without parameters. Other types may stand beside it.`,
    { source: { header: "Accept" } },
  );
}

function shard({ shards }: Service, found: Found): Awaitable<Reader> {
  return after(shards.reader(found.shard), (reader) => reader ?? noShard(shards, found));
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
  return refuse(
    "internal-error",
    "The request failed through no fault of yours. Try again, and report the id if it persists.",
  );
}
