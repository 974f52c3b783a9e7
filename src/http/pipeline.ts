/** In charge of the story of a request: one function that reads as the list of its stages. */

import type { Policy } from "../access/bucket.ts";
import type { LiveKey } from "../access/keyring.ts";
import type { Limiter } from "../access/limiter.ts";
import { limitHeaders, policyFor } from "../access/limiter.ts";
import type { Observe } from "../observe/events.ts";
import { LONGEST_ADDRESS } from "../query/limits.ts";
import type { ReadableShards } from "../store/shards.ts";
import { type Reader, StoreError } from "../store/store.ts";
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
  keyId?: string;
  headers: Record<string, string>;
}

const METHODS = "GET, HEAD, OPTIONS";

export async function answer(service: Service, call: Call, progress: Progress): Promise<Response> {
  try {
    const found = route(call);
    if (call.method === "OPTIONS") return preflightReply(call, METHODS);
    checkMethod(call);
    if (found.route.access === "open") {
      const { clock, ...state } = service;
      return sendJson(call, await found.route.endpoint({ ...state, now: clock.now() }));
    }
    const key = authenticate(service, call);
    progress.keyId = key.id;
    progress.headers = await limit(service, key);
    checkAccept(service, call);
    const reader = await shard(service, found);
    const result = await found.route.endpoint({
      reader,
      id: found.id,
      query: call.query,
      address: `${call.base()}${call.path}`,
      now: service.clock.now(),
      maxOffset: service.maxOffset,
      profile: service.profile,
    });
    return sendDocument(call, result, progress.headers);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : apology(service, call, error);
    return refusalReply(call, refusal, progress.headers);
  }
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

async function limit(service: Service, key: LiveKey): Promise<Record<string, string>> {
  const policy = policyFor(key, service.policy);
  const verdict = await service.limiter.take(key.id, policy, service.clock.monotonic());
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

async function shard({ shards }: Service, found: Found): Promise<Reader> {
  const reader = await shards.reader(found.shard);
  if (reader) return reader;
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
