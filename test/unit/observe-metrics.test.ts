/** Tests how events become metrics: buckets, labels, gauges, and what is not counted. */

import { describe, expect, test } from "bun:test";
import { findRoute } from "../../src/http/routes.ts";
import type { Event, RequestEvent } from "../../src/observe/events.ts";
import { Metrics } from "../../src/observe/metrics.ts";
import { exposition, gauge, merged, total } from "../../src/observe/prometheus.ts";
import type { ShardStatus } from "../../src/observe/shard-metrics.ts";
import { readScrape, type Scrape, seriesValue } from "../support/scrape.ts";

const NOW = 1_700_000_000_000;

function aRequest(wishes: Partial<RequestEvent> = {}): RequestEvent {
  return {
    event: "request",
    requestId: "r-1",
    method: "GET",
    path: "/status",
    query: "",
    route: "/status",
    shard: "",
    status: 200,
    code: undefined,
    time: NOW,
    milliseconds: 1,
    keyId: undefined,
    tier: undefined,
    records: 0,
    ...wishes,
  };
}

function aShard(id: string, wishes: Partial<ShardStatus> = {}): ShardStatus {
  return {
    id,
    available: true,
    matches: 0,
    players: 0,
    newestMatch: undefined,
    bytes: 0,
    replicas: [],
    ...wishes,
  };
}

async function after(events: Event[], shards: ShardStatus[] = []): Promise<Scrape> {
  const metrics = new Metrics({
    version: "1.2.3",
    shardStates: async () => shards,
  });
  for (const event of events) metrics.observe(event);
  return readScrape(await metrics.text());
}

describe("labels", () => {
  test("may contain any text", async () => {
    const scrape = await after([aRequest({ tier: 'a "tier" of\n\\ours' })]);
    const [sample] = scrape.get("matchbook_tier_requests_total")!.samples;
    expect(sample!.labels).toEqual({ tier: 'a \\"tier\\" of\\n\\\\ours' });
  });
});

describe("a failure or rejection", () => {
  const error = new Error("out of luck");

  test.each<[string, Event, Record<string, string>]>([
    ["matchbook_key_reload_failures_total", { event: "keys-reload-failed", error }, {}],
    ["matchbook_key_reload_failures_total", { event: "keys-reload-still-failing", error }, {}],
    ["matchbook_usage_write_failures_total", { event: "usage-write-failed", error }, {}],
    ["matchbook_usage_write_failures_total", { event: "usage-write-still-failing", error }, {}],
  ])("is counted in %s", async (name, event, labels) => {
    expect(seriesValue(await after([event, event]), name, labels)).toBe(2);
  });
});

describe("a shard", () => {
  test("has one label value, however clients spell it", async () => {
    const route = "/shards/:shard/matches";
    const paths = ["/shards/na/matches", "/shards/n%61/matches", "/shards/%6E%61/matches"];
    const requests = paths.map((path) => aRequest({ route, shard: findRoute(path)!.shard }));
    const missing = aRequest({ route, shard: "xx", status: 404 });
    const scrape = await after([...requests, missing]);
    const { samples } = scrape.get("matchbook_shard_requests_total")!;
    expect([...new Set(samples.map(({ labels }) => labels.shard))]).toEqual(["na"]);
  });

  test("without a match has no newest one", async () => {
    const scrape = await after([], [aShard("na")]);
    expect(seriesValue(scrape, "matchbook_shard_matches", { shard: "na" })).toBe(0);
    expect(scrape.get("matchbook_shard_newest_match_timestamp_seconds")!.samples).toEqual([]);
  });
});

test("the open streams of several workers add up", () => {
  const families = [2, 3].flatMap((streams) => {
    const metrics = new Metrics({
      version: "1.2.3",
      shardStates: async () => [],
    });
    metrics.include(() => [
      { ...gauge("matchbook_open_streams", "Open streams", streams), merge: "sum" },
      total("matchbook_changes_sent_total", "Changes sent", 10),
    ]);
    return metrics.families();
  });
  const scrape = readScrape(exposition(merged(families)));
  expect(seriesValue(scrape, "matchbook_open_streams")).toBe(5);
  expect(seriesValue(scrape, "matchbook_changes_sent_total")).toBe(20);
  expect(seriesValue(scrape, "matchbook_active_keys")).toBe(0);
});
