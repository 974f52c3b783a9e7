/** Request metrics: by route, method and status, duration, error code and tier. */

import type { RequestEvent } from "./events.ts";
import { Counter, Histogram, type MetricFamily } from "./prometheus.ts";

/** Seconds. Most requests take less than the second of these. */
const REQUEST_BOUNDS = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5,
];
const STAGE_BOUNDS = [
  0.000001, 0.0000025, 0.000005, 0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.001, 0.01, 0.1, 1,
];

/** Clients may send any method; the others share one label value. */
const METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];

/** The limit behind each error code. */
const LIMITS: ReadonlyMap<string, string> = new Map([
  ["rate-limited", "rate"],
  ["quota-exceeded", "quota"],
  ["too-many-failures", "failures"],
  ["too-many-streams", "streams"],
  ["overloaded", "overload"],
]);

const SHARD_ROUTES = "/shards/:shard/";

const RESULTS = ["ok", "refused", "limited", "failed"] as const;

function resultOf(status: number): (typeof RESULTS)[number] {
  if (status < 400) return "ok";
  if (status >= 500) return "failed";
  return status === 429 ? "limited" : "refused";
}

export class RequestMetrics {
  readonly #requests = new Counter(
    "matchbook_requests_total",
    "Requests, by route, method and status",
    ["route", "method", "status"],
  );
  readonly #durations = new Histogram(
    "matchbook_request_duration_seconds",
    "Time from the arrival of a request to its response, by route",
    "route",
    REQUEST_BOUNDS,
  );
  readonly #stageDurations: Histogram;
  readonly #errors = new Counter(
    "matchbook_errors_total",
    "Error responses, by the code of their first error",
    ["code"],
  );
  readonly #limits = new Counter(
    "matchbook_limit_rejections_total",
    "Requests rejected by a limit: rate, quota, streams, failures (invalid keys from one IP address), or overload (more requests than the server can handle)",
    ["limit"],
  );
  readonly #byTier = new Counter(
    "matchbook_tier_requests_total",
    "Requests with a valid key or visitor token, by tier",
    ["tier"],
  );
  readonly #records = new Counter(
    "matchbook_records_served_total",
    "Match and player records in response bodies, by tier",
    ["tier"],
  );

  readonly #byShard = new Counter(
    "matchbook_shard_requests_total",
    "Requests for a shard, by result: ok, refused (4xx), limited (429) or failed (5xx)",
    ["shard", "result"],
  );
  readonly #shardDurations = new Histogram(
    "matchbook_shard_request_duration_seconds",
    "Time from the arrival of a request for a shard to its response",
    "shard",
    REQUEST_BOUNDS,
  );
  /** Clients may request any shard; only existing ones become label values. */
  readonly #shards = new Set<string>();

  /** `stages` are the names of the stages in events, in the same order. */
  constructor(readonly stages: readonly string[]) {
    this.#stageDurations = new Histogram(
      "matchbook_stage_duration_seconds",
      "Duration of each stage of a request; one request in eight is timed",
      "stage",
      STAGE_BOUNDS,
      stages,
    );
    for (const limit of LIMITS.values()) this.#limits.add([limit], 0);
  }

  count(event: RequestEvent): void {
    // Clients may request any path, too.
    const { route = "unknown", status, code, tier } = event;
    const method = METHODS.includes(event.method) ? event.method : "other";
    this.#requests.add([route, method, String(status)]);
    this.#durations.observe(route, event.milliseconds);
    event.stages?.forEach((milliseconds, at) => {
      if (milliseconds > 0) this.#stageDurations.observe(this.stages[at]!, milliseconds);
    });
    this.#countShard(event);
    if (code !== undefined) this.#countError(code);
    if (tier === undefined) return;
    this.#byTier.add([tier]);
    this.#records.add([tier], event.records);
  }

  /** The shard exists. */
  addShard(shard: string): void {
    if (this.#shards.has(shard)) return;
    this.#shards.add(shard);
    for (const result of RESULTS) this.#byShard.add([shard, result], 0);
  }

  #countShard({ route, shard, status, milliseconds }: RequestEvent): void {
    if (shard === "" || !route?.startsWith(SHARD_ROUTES)) return;
    // It was read, so it exists.
    if (status === 200) this.addShard(shard);
    if (!this.#shards.has(shard)) return;
    this.#byShard.add([shard, resultOf(status)]);
    this.#shardDurations.observe(shard, milliseconds);
  }

  #countError(code: string): void {
    this.#errors.add([code]);
    const limit = LIMITS.get(code);
    if (limit !== undefined) this.#limits.add([limit]);
  }

  families(): MetricFamily[] {
    return [
      this.#requests,
      this.#durations,
      this.#stageDurations,
      this.#errors,
      this.#limits,
      this.#byTier,
      this.#records,
      this.#byShard,
      this.#shardDurations,
    ].map((metric) => metric.family());
  }
}
