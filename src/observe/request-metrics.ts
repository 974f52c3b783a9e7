/** Request metrics: by route, method and status, duration, error code and tier. */

import type { RequestEvent } from "./events.ts";
import {
  addDuration,
  Counter,
  durationCounts,
  histogram,
  type MetricFamily,
} from "./prometheus.ts";

/** Seconds. Most requests take less than the second of these. */
const REQUEST_BOUNDS = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5,
];

/** Clients may send any method; the others share one label value. */
const METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];

/** Counted from 0 on, so that an alert notices the first. */
const LIMITS = [
  "rate-limited",
  "quota-exceeded",
  "too-many-failures",
  "too-many-streams",
  "overloaded",
];

const SHARD_ROUTES = "/shards/:shard/";

const RESULTS = ["ok", "refused", "limited", "failed"] as const;

function resultOf(status: number): (typeof RESULTS)[number] {
  if (status < 400) return "ok";
  if (status >= 500) return "failed";
  return status === 429 ? "limited" : "refused";
}

/** Requests that differ only in their time and their records. */
interface Tally {
  route: string;
  method: string;
  status: number;
  code: string | undefined;
  tier: string | undefined;
  /** Undefined without an existing shard. */
  shard: string | undefined;
  requests: number;
  records: number;
  durations: Float64Array;
}

/** Of a request, only its tally is counted. The metrics are added up when somebody reads them. */
export class RequestMetrics {
  /** By route. */
  readonly #tallies = new Map<string, Tally[]>();
  /** Clients may request any shard; only existing ones become label values. */
  readonly #shards = new Set<string>();

  count(event: RequestEvent): void {
    const { milliseconds, records } = event;
    const tally = this.#tallyOf(event);
    tally.requests += 1;
    tally.records += records;
    addDuration(tally.durations, REQUEST_BOUNDS, milliseconds);
  }

  /** The shard exists. */
  addShard(shard: string): void {
    this.#shards.add(shard);
  }

  #tallyOf({ route = "unknown", method: sent, status, code, tier, shard: named }: RequestEvent) {
    // Clients may send any method, and request any path and shard.
    const method = METHODS.includes(sent) ? sent : "other";
    const isShard = named !== "" && route.startsWith(SHARD_ROUTES);
    // It was read, so it exists.
    if (isShard && status === 200) this.addShard(named);
    const shard = isShard && this.#shards.has(named) ? named : undefined;
    const tallies = this.#tallies.get(route) ?? [];
    // There are few. Looking for a text made of all of these would take longer.
    for (const one of tallies) {
      const isLikeIt = one.status === status && one.shard === shard && one.tier === tier;
      if (isLikeIt && one.method === method && one.code === code) return one;
    }
    const durations = durationCounts(REQUEST_BOUNDS);
    const tally = { route, method, status, code, tier, shard, requests: 0, records: 0, durations };
    this.#tallies.set(route, [...tallies, tally]);
    return tally;
  }

  families(): MetricFamily[] {
    const requests = new Counter(
      "matchbook_requests_total",
      "Requests, by route, method and status",
      ["route", "method", "status"],
    );
    const tallies = [...this.#tallies.values()].flat();
    const durations = histogram(
      "matchbook_request_duration_seconds",
      "Time from the arrival of a request to its response, by route",
      "route",
      REQUEST_BOUNDS,
      tallies.map(({ route, durations: counts }) => ({ value: route, counts })),
    );
    const errors = new Counter(
      "matchbook_errors_total",
      "Error responses, by the code of their first error",
      ["code"],
    );
    const byTier = new Counter(
      "matchbook_tier_requests_total",
      "Requests with a valid key or visitor token, by tier",
      ["tier"],
    );
    const served = new Counter(
      "matchbook_records_served_total",
      "Match and player records in response bodies, by tier",
      ["tier"],
    );
    const byShard = new Counter(
      "matchbook_shard_requests_total",
      "Requests for a shard, by result: ok, refused (4xx), limited (429) or failed (5xx)",
      ["shard", "result"],
    );
    const shardDurations = histogram(
      "matchbook_shard_request_duration_seconds",
      "Time from the arrival of a request for a shard to its response",
      "shard",
      REQUEST_BOUNDS,
      tallies.flatMap(({ shard, durations: counts }) =>
        shard === undefined ? [] : { value: shard, counts },
      ),
    );
    for (const code of LIMITS) errors.add([code], 0);
    for (const shard of this.#shards) {
      for (const result of RESULTS) byShard.add([shard, result], 0);
    }
    for (const { route, method, status, code, tier, shard, requests: count, records } of tallies) {
      requests.add([route, method, String(status)], count);
      if (code !== undefined) errors.add([code], count);
      if (tier !== undefined) {
        byTier.add([tier], count);
        served.add([tier], records);
      }
      if (shard !== undefined) byShard.add([shard, resultOf(status)], count);
    }
    const [all, ...others] = [requests, errors, byTier, served, byShard].map((one) => one.family());
    return [all!, durations, ...others, shardDurations];
  }
}
