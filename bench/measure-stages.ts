/**
 * The `stages` section: the cost of each stage of a request, in one process. The stages are called
 * repeatedly, as the pipeline calls them, with the URLs of the scenarios. Code and data are warmer
 * than in a server that also reads and writes sockets, so the sum is a lower bound.
 */

import { join } from "node:path";
import { FailureGuard, OpenRequestLimit } from "../src/access/failed-keys.ts";
import { KeyLookup, type LiveKey } from "../src/access/key-lookup.ts";
import { MemoryQuotas } from "../src/access/quota.ts";
import { MemoryLimiter } from "../src/access/rate-limit.ts";
import { UsageCounter } from "../src/access/usage.ts";
import { gzipBody } from "../src/document/gzip.ts";
import { authenticate, checkRate, consumeQuota } from "../src/http/admission.ts";
import { Bodies } from "../src/http/body.ts";
import { PROFILES } from "../src/endpoint/compat-profile.ts";
import type { ServerContext } from "../src/http/context.ts";
import { acceptsMediaType } from "../src/endpoint/negotiate.ts";
import { OverloadControl } from "../src/http/overload.ts";
import { handleRequest, newProgress } from "../src/http/pipeline.ts";
import { type ApiRequest, readRequest } from "../src/http/request.ts";
import { documentResponse, planDelivery } from "../src/http/response.ts";
import { ResultCache } from "../src/endpoint/result-cache.ts";
import { findRoute } from "../src/http/routes.ts";
import { feedContext } from "../src/http/server.ts";
import type { ShardRequest, ShardResult } from "../src/endpoint/shard-request.ts";
import { STAGES, stopwatches } from "../src/endpoint/stopwatch.ts";
import { type Observe, observeAll, type RequestEvent, unobserved } from "../src/observe/events.ts";
import { logTo } from "../src/observe/log.ts";
import { Metrics } from "../src/observe/metrics.ts";
import { accessPlan, openAccess } from "../src/open-access.ts";
import { loadSettings } from "../src/settings/load.ts";
import { AddressSet } from "../src/settings/trusted-proxies.ts";
import { NO_FINDINGS } from "../src/store/core/findings.ts";
import { openForReading } from "../src/store/sqlite/open.ts";
import { SqliteReader } from "../src/store/sqlite/reader.ts";
import type { Reader } from "../src/store/store.ts";
import { type Data, dataOf } from "./data.ts";
import { progress } from "./failure.ts";
import type { Flags } from "./flags.ts";
import type { Circumstances } from "./machine.ts";
import { type Places, SHARD } from "./places.ts";
import type { StagesSection } from "./results.ts";
import { SCENARIOS } from "./scenarios.ts";
import { significant } from "./statistics.ts";
import { Targets } from "./targets.ts";

const MEASURED = ["match by id", "matches page", "player by id"];
const CACHE_BYTES = 256 << 20;
const ADDRESSES = 1000;
const ROUNDS = 30;
const ORIGIN = "http://127.0.0.1:8080";

export async function measureStages(
  flags: Flags,
  places: Places,
  where: Circumstances,
): Promise<StagesSection> {
  const data = await dataOf(places.data, flags.matches, flags.fresh);
  const settings = loadSettings({ flags: {}, env: {}, cwd: data.folder }).values;
  const keys = new KeyLookup(
    openAccess({ data: data.matchbook }).keys,
    accessPlan(settings),
    unobserved,
  );
  await keys.refresh();
  const database = openForReading(join(data.matchbook, `${SHARD}.db`))!;
  const reader = new SqliteReader(database, CACHE_BYTES);
  const rows = new Map<string, number[]>();
  for (const name of MEASURED) {
    progress(`  ${name}`);
    const costs = await stagesOf(await requestsOf(name, data), serviceOf(keys, reader), reader);
    for (const [stage, micros] of costs) rows.set(stage, [...(rows.get(stage) ?? []), micros]);
  }
  return {
    ...where,
    matches: data.matches,
    scenarios: MEASURED,
    rows: [...rows].map(([stage, micros]) => ({
      stage,
      micros: micros.map((one) => significant(one, 3)),
    })),
  };
}

async function requestsOf(name: string, data: Data): Promise<Request[]> {
  const targets = new Targets(data);
  const scenario = SCENARIOS.find((one) => one.name === name)!;
  const addresses = await scenario.addresses(targets, () => {
    throw new Error("these scenarios send no requests while they are prepared");
  });
  targets.close();
  const headers = { Authorization: `Bearer ${data.key}`, Accept: "application/vnd.api+json" };
  return addresses
    .slice(0, ADDRESSES)
    .map(
      ({ path, headers: more }) =>
        new Request(`${ORIGIN}${path}`, { headers: { ...headers, ...more } }),
    );
}

const CLOCK = { now: Date.now, monotonic: () => performance.now() };
const newStopwatch = stopwatches(CLOCK.monotonic);

function serviceOf(keys: KeyLookup, reader: Reader): ServerContext {
  const shards = {
    list: () => [SHARD],
    replicas: () => [],
    findings: () => NO_FINDINGS,
    reader: () => reader,
  };
  const usage = new UsageCounter();
  const overload = new OverloadControl({ maxDelayMs: 0, maxInFlight: 1 }, unobserved);
  const options = { shards, keys, profile: PROFILES.off, clock: CLOCK, observe: unobserved };
  return {
    feed: feedContext(options, () => {}),
    version: "",
    openApi: {},
    startedAt: 0,
    shards,
    shardStates: async () => [],
    keys,
    guard: new FailureGuard(0),
    openLimit: new OpenRequestLimit(0),
    limiter: new MemoryLimiter(),
    quotas: new MemoryQuotas(),
    usage: { daysOf: () => [] },
    maxOffset: 10_000,
    leaderboardDepth: 1000,
    profile: PROFILES.off,
    results: new ResultCache(0),
    overload,
    bodies: new Bodies("fast", 0, overload),
    clock: CLOCK,
    observe: observeAll([aLog(), aCount(usage)]),
  };
}

const aLog = (): Observe => logTo({ level: "info", stream: { write: () => {} } });

/** Feeds metrics and usage. */
function aCount(usage: UsageCounter): Observe {
  const shardStates = async () => [];
  const metrics = new Metrics({ version: "", stages: STAGES, shardStates, clock: CLOCK });
  return observeAll([
    metrics.observe,
    (event) => {
      if (event.event !== "request" || event.keyId === undefined) return;
      usage.note(event.keyId, event.status, event.records, event.time);
    },
  ]);
}

async function stagesOf(
  requests: Request[],
  service: ServerContext,
  reader: Reader,
): Promise<[string, number][]> {
  const calls = requests.map(callOf);
  const found = calls.map(({ path }) => findRoute(path)!);
  const key = authenticate(service, calls[0]!);
  const asked = calls.map((call, at): ShardRequest => {
    const { maxOffset, leaderboardDepth, profile, results, feed } = service;
    const url = call.baseUrl() + call.path;
    const { shard, id } = found[at]!;
    const { requestId, raw, query } = call;
    return {
      requestId,
      reader,
      shard,
      id,
      query,
      url,
      now: Date.now(),
      maxOffset,
      leaderboardDepth,
      profile,
      results,
      watch: newStopwatch(),
      raw,
      key,
      feed,
      isWaiting() {},
    };
  });
  const { route } = found[0]!;
  if (!("endpoint" in route) || route.access !== "key")
    throw new Error("the scenarios are about records");
  const answers: ShardResult[] = [];
  for (const one of asked) answers.push(await route.endpoint(one));
  const documents = answers.map(({ document }) => document);
  const headers = checkRate(key, await service.limiter.take(key.id, key.limits, performance.now()));
  const events = calls.map((call, at) => eventOf(call, key, answers[at]!));
  const [log, count] = [aLog(), aCount(new UsageCounter())];

  const call = await cost(requests, (request) => void findRoute(callOf(request).path));
  const credentials = await cost(calls, (one) => {
    authenticate(service, one);
    acceptsMediaType(one.raw.headers.get("accept"));
  });
  const limit = await cost(calls, async () =>
    checkRate(key, await service.limiter.take(key.id, key.limits, performance.now())),
  );
  const quota = await cost(answers, ({ matches }) =>
    consumeQuota(service, key, matches, Date.now()),
  );
  const endpoint = await cost(asked, (one) => route.endpoint(one));
  const body = await cost(documents, ({ content, rest }) => void gzipBody(content.pieces, rest));
  const reply = await cost(calls, async (one, at) => {
    const result = answers[at]!;
    const { encodings, etag } = planDelivery(one, result);
    const body = await service.bodies.of(result.document, encodings);
    documentResponse(one, body, etag, headers);
  });
  const logged = await cost(events, (event) => log(event));
  const counted = await cost(events, (event) => count(event));
  const all = await cost(calls, async (one, at) => {
    await handleRequest(service, one, newProgress(newStopwatch()));
    service.observe(events[at]!);
  });
  return [
    ["parse request, find route", call],
    ["key and Accept header", credentials],
    ["rate limit and headers", limit],
    ["daily quota", quota],
    ["query, lookup, assembly, links", endpoint],
    ["gzip body from the pieces", body],
    ["response with headers", Math.max(0, reply - body)],
    ["log line", logged],
    ["metrics and usage", counted],
    ["all stages together", all],
  ];
}

function eventOf(call: ApiRequest, key: LiveKey, { records }: ShardResult): RequestEvent {
  return {
    event: "request",
    requestId: call.requestId,
    method: call.method,
    path: call.path,
    query: call.query,
    route: findRoute(call.path)!.route.path,
    status: 200,
    code: undefined,
    time: Date.now(),
    milliseconds: 1,
    stages: STAGES.map(() => 0.1),
    keyId: key.id,
    tier: key.limits.tier,
    records,
  };
}

const proxies = AddressSet.parse("") as { value: AddressSet };

function callOf(request: Request): ApiRequest {
  const addressing = { publicUrl: "", trustedProxies: proxies.value, listening: ORIGIN };
  return readRequest(request, addressing, () => undefined, Date.now());
}

/** CPU time per call in microseconds, of the fastest round, which was disturbed least. */
async function cost<T>(
  things: readonly T[],
  work: (thing: T, at: number) => unknown,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let at = 0; at < things.length; at++) {
      const done = work(things[at]!, at);
      if (done instanceof Promise) await done;
    }
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / things.length);
    // A snapshot lasts for one turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return least;
}
