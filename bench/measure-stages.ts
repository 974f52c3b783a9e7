/**
 * In charge of the section `stages`: what each stage of a request costs by itself, within one
 * process. The stages are called as the pipeline calls them, over and over, with the same addresses
 * as in the scenarios. Code and data are warmer that way than in a server that also has to read
 * and write sockets; so the sum is the least that a request can cost.
 */

import { join } from "node:path";
import { limitHeaders, MemoryLimiter, policyFor } from "../src/access/limiter.ts";
import { KeyWatch } from "../src/access/watch.ts";
import { checkFragment } from "../src/document/fragment.ts";
import { gzipBody } from "../src/document/gzip.ts";
import { strongTag, weakTag } from "../src/document/tag.ts";
import { type Call, readCall } from "../src/http/call.ts";
import type { Answer, ShardCall } from "../src/http/endpoints.ts";
import { acceptsMediaType } from "../src/http/negotiate.ts";
import { answer, type Service } from "../src/http/pipeline.ts";
import { PROFILES } from "../src/http/profile.ts";
import { sendDocument } from "../src/http/reply.ts";
import { findRoute } from "../src/http/routes.ts";
import { logTo } from "../src/observe/log.ts";
import { AddressSet } from "../src/settings/proxies.ts";
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
  const keys = new KeyWatch(data.matchbook, () => {});
  keys.refresh();
  const database = openForReading(join(data.matchbook, `${SHARD}.db`))!;
  const reader = new SqliteReader(database, CACHE_BYTES, checkFragment);
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
    throw new Error("these scenarios ask nobody");
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

function serviceOf(keys: KeyWatch, reader: Reader): Service {
  return {
    version: "",
    openApi: {},
    startedAt: 0,
    shards: { list: () => [SHARD], reader: () => reader },
    keys,
    limiter: new MemoryLimiter(),
    policy: { rate: 60, burst: 0 },
    maxOffset: 10_000,
    profile: PROFILES.off,
    clock: { now: Date.now, monotonic: () => performance.now() },
    observe: logTo({ level: "info", stream: { write: () => {} } }),
  };
}

async function stagesOf(
  requests: Request[],
  service: Service,
  reader: Reader,
): Promise<[string, number][]> {
  const calls = requests.map(callOf);
  const found = calls.map(({ path }) => findRoute(path)!);
  const key = service.keys.find(requests[0]!.headers.get("authorization"))!;
  const policy = policyFor(key, service.policy);
  const asked = calls.map((call, at): ShardCall => {
    const { maxOffset, profile } = service;
    const address = call.base() + call.path;
    const { id } = found[at]!;
    return { reader, id, query: call.query, address, now: Date.now(), maxOffset, profile };
  });
  const { route } = found[0]!;
  if (route.access !== "key") throw new Error("the scenarios are about records");
  const answers: Answer[] = [];
  for (const one of asked) answers.push(await route.endpoint(one));
  const documents = answers.map(({ document }) => document);
  const isStrong = answers[0]!.tag === "strong";
  const headers = limitHeaders(policy, await service.limiter.take(key.id, policy, 0));

  const call = await cost(requests, (request) => void findRoute(callOf(request).path));
  const credentials = await cost(requests, (request) => {
    const { headers: given } = request;
    service.keys.find(given.get("authorization"));
    acceptsMediaType(given.get("accept"));
  });
  const limit = await cost(requests, () => {
    const taken = service.limiter.take(key.id, policy, service.clock.monotonic());
    if (!(taken instanceof Promise)) limitHeaders(policyFor(key, service.policy), taken);
  });
  const endpoint = await cost(asked, (one) => route.endpoint(one));
  const tag = await cost(
    documents,
    (one) => void (isStrong ? strongTag(one, "gzip") : weakTag(one)),
  );
  const body = await cost(documents, ({ content, rest }) => void gzipBody(content, rest));
  const reply = await cost(calls, (one, at) => void sendDocument(one, answers[at]!, headers));
  const log = await cost(calls, (one) => report(service, one, key.id));
  const all = await cost(calls, async (one) => {
    await answer(service, one, { headers: {}, keyId: undefined });
    report(service, one, key.id);
  });
  return [
    ["read the call, find its route", call],
    ["key and Accept header", credentials],
    ["rate limit and its headers", limit],
    ["query, look-up, assembly, links", endpoint],
    ["entity tag", tag],
    ["gzip body from the pieces", body],
    ["reply with its headers", Math.max(0, reply - tag - body)],
    ["log line", log],
    ["all of it in one go", all],
  ];
}

function report(service: Service, { requestId, method, path }: Call, keyId: string): void {
  service.observe({
    event: "request",
    requestId,
    method,
    path,
    status: 200,
    milliseconds: 1,
    keyId,
  });
}

const proxies = AddressSet.parse("") as { value: AddressSet };

function callOf(request: Request): Call {
  const addressing = { publicUrl: "", trustedProxies: proxies.value, listening: ORIGIN };
  return readCall(request, addressing, () => undefined);
}

/** CPU time for each, in microseconds: of the quickest round, which was disturbed least. */
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
    // The state that is read lasts for a turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return least;
}
