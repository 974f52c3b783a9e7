/** Tests the metrics of a busy server. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { version } from "../../package.json";
import { type Monitored, makeTraffic, startMonitored } from "../support/monitored.ts";
import { type Scrape, seriesValue } from "../support/scrape.ts";

let monitored: Monitored;
let scrape: Scrape;
let text: string;
let contentType: string | null;

beforeAll(async () => {
  monitored = await startMonitored();
  await makeTraffic(monitored);
  ({ read: scrape, text, contentType } = await monitored.scrape());
});
afterAll(() => monitored.stop());

const seriesOf = (name: string) => scrape.get(name)!.samples;

describe("the metrics", () => {
  test("are in the Prometheus text format", () => {
    expect(contentType).toBe("text/plain; version=0.0.4; charset=utf-8");
  });

  test.each([
    ["/shards/:shard/matches", "GET", "200", 5],
    ["/shards/:shard/matches", "HEAD", "200", 1],
    ["/shards/:shard/matches", "GET", "400", 1],
    ["/shards/:shard/matches", "GET", "401", 4],
    ["/shards/:shard/matches", "GET", "429", 2],
    ["/shards/:shard/matches/:id", "GET", "200", 2],
    ["/shards/:shard/matches/:id", "GET", "404", 1],
    ["/shards/:shard/matches/:id", "GET", "429", 1],
    ["/shards/:shard/players/:id", "GET", "200", 1],
    ["/usage", "GET", "200", 1],
    ["/status", "GET", "200", 1],
    ["/status", "other", "405", 1],
    ["unknown", "GET", "404", 1],
  ])("count requests of %s by %s that ended in %s", (route, method, status, count) => {
    expect(seriesValue(scrape, "matchbook_requests_total", { route, method, status })).toBe(count);
  });

  test("count only requests that were sent", () => {
    const total = seriesOf("matchbook_requests_total").reduce((sum, { value }) => sum + value, 0);
    expect(total).toBe(monitored.events.filter(({ event }) => event === "request").length);
    expect(total).toBe(22);
  });

  test("count every request once, in a bucket of its route", () => {
    const route = "/shards/:shard/matches";
    const name = "matchbook_request_duration_seconds";
    const buckets = seriesOf(name).filter(
      (one) => one.labels.route === route && one.name.endsWith("_bucket"),
    );
    const counts = buckets.map(({ value }) => value);
    expect(counts).toEqual(counts.toSorted((one, next) => one - next));
    expect(buckets.at(-1)).toMatchObject({ labels: { le: "+Inf" }, value: 13 });
    expect(seriesValue(scrape, `${name}_count`, { route })).toBe(13);
    const durations = monitored.events.flatMap((event) =>
      event.event === "request" && event.route === route ? event.milliseconds : [],
    );
    expect(seriesValue(scrape, `${name}_sum`, { route })).toBeCloseTo(
      durations.reduce((sum, milliseconds) => sum + milliseconds, 0) / 1000,
    );
  });

  test.each([
    ["unknown-parameter", 1],
    ["unauthorized", 4],
    ["not-found", 1],
    ["unknown-route", 1],
    ["method-not-allowed", 1],
    ["rate-limited", 1],
    ["quota-exceeded", 1],
    ["too-many-failures", 1],
    ["too-many-streams", 0],
    ["overloaded", 0],
  ])("count the error %s", (code, count) => {
    expect(seriesValue(scrape, "matchbook_errors_total", { code })).toBe(count);
  });

  test("count requests and records by tier", () => {
    const of = (name: string, tier: string) => seriesValue(scrape, `matchbook_${name}`, { tier });
    expect(of("tier_requests_total", "partner")).toBe(6);
    expect(of("tier_requests_total", "hobby")).toBe(8);
    // A page of two matches, a match, a player; nothing for HEAD and for 404.
    expect(of("records_served_total", "partner")).toBe(4);
    expect(of("records_served_total", "hobby")).toBe(3 * 2 + 2 + 1);
  });

  test("cover keys, usage and uploads", () => {
    expect(seriesValue(scrape, "matchbook_active_keys")).toBe(5);
    expect(seriesValue(scrape, "matchbook_key_reload_failures_total")).toBe(0);
    expect(seriesValue(scrape, "matchbook_usage_write_failures_total")).toBe(0);
    const uploaded = (outcome: string) =>
      seriesValue(scrape, "matchbook_uploaded_records_total", { outcome });
    expect([uploaded("stored"), uploaded("rejected"), uploaded("withheld")]).toEqual([1, 1, 0]);
    expect(seriesValue(scrape, "matchbook_failed_uploads_total")).toBe(0);
  });

  test("include the version", () => {
    expect(seriesValue(scrape, "matchbook_build_info", { version })).toBe(1);
  });

  test("show what each shard serves and how fresh it is", () => {
    const of = (name: string, shard = "na") =>
      seriesValue(scrape, `matchbook_shard_${name}`, { shard });
    expect(of("up")).toBe(1);
    expect(of("matches")).toBe(2);
    expect(of("players")).toBe(2);
    expect(of("bytes")).toBeGreaterThan(4096);
    // The only one that was written to since the start.
    expect(of("wal_bytes", "sa")).toBeGreaterThan(0);
    expect(of("newest_match_timestamp_seconds")).toBe(monitored.newestMatch / 1000);
    expect(of("matches", "sa")).toBe(1);
  });

  test("show which shard cannot be read, and nothing else about it", () => {
    expect(seriesValue(scrape, "matchbook_shard_up", { shard: "eu" })).toBe(0);
    const found = [...scrape].filter(([, { samples }]) =>
      samples.some(({ labels }) => labels.shard === "eu"),
    );
    expect(found.map(([name]) => name)).toEqual(["matchbook_shard_up"]);
  });

  test("contain no key, key id, player name or arbitrary path", () => {
    const { keys } = monitored;
    const secrets = Object.values(keys).flatMap(({ id, key }) => [id, key, key.slice(3, 12)]);
    for (const secret of [...secrets, "Secret Name", "Zoe", "secret-address", "mb_", "PROPFIND"]) {
      expect(text).not.toContain(secret);
    }
  });
});

test("a second scrape continues from the first", async () => {
  await monitored.ask("/healthz");
  const labels = { route: "/healthz", method: "GET", status: "200" };
  const { read } = await monitored.scrape();
  expect(seriesValue(read, "matchbook_requests_total", labels)).toBe(1);
});
