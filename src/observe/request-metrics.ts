/**
 * In charge of the metrics of requests. A request takes some forty microseconds in all, so that what
 * is counted here is kept in plain numbers, and made into samples only when somebody asks.
 */

import type { RequestEvent } from "./events.ts";
import { type Family, LabelledCounter, type Sample } from "./family.ts";
import { Histogram, type Spread } from "./histogram.ts";

/** Seconds. Most requests take less than the second of these. */
const REQUEST_BOUNDS = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5,
];
const STAGE_BOUNDS = [
  0.000001, 0.0000025, 0.000005, 0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.001, 0.01, 0.1, 1,
];

/** Callers may send any word as a method. */
const METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];
const OTHER_METHOD = "other";
const STATUSES = 1000;

/** For addresses at which nothing is served: callers may send any. */
const UNKNOWN_ROUTE = "unknown";

/** The limits that error codes tell of. */
const LIMITS: Readonly<Record<string, string>> = {
  rate: "rate-limited",
  budget: "budget-spent",
  failures: "too-many-failures",
};

/** What is kept of one route. */
interface RouteCounts {
  durations: Spread;
  /** By method and status, as one number. */
  replies: Map<number, number>;
}

export class RequestMetrics {
  readonly #routes = new Map<string, RouteCounts>();
  readonly #durations = new Histogram(
    "matchbook_request_duration_seconds",
    "Time from the arrival of a request to its reply",
    "route",
    REQUEST_BOUNDS,
  );
  readonly #stages = new Histogram(
    "matchbook_stage_duration_seconds",
    "Time that a stage of a request took, of those that were timed, one in eight, and reached it",
    "stage",
    STAGE_BOUNDS,
  );
  readonly #errors = new LabelledCounter(
    "matchbook_errors_total",
    "Replies that are error documents, by the code of their first error",
    "code",
  );
  readonly #byTier = new LabelledCounter(
    "matchbook_tier_requests_total",
    "Requests with a key that is in force, by the key's tier",
    "tier",
  );
  readonly #records = new LabelledCounter(
    "matchbook_records_served_total",
    "Match and player records in the bodies of replies, by the key's tier",
    "tier",
  );
  /** In the order of the events' stages. */
  readonly #stageSpreads: readonly Spread[];

  constructor(stages: readonly string[]) {
    this.#stageSpreads = stages.map((stage) => this.#stages.of(stage));
  }

  note(event: RequestEvent): void {
    const { route = UNKNOWN_ROUTE, method, status, code, tier, records } = event;
    const counts = this.#routes.get(route) ?? this.#newRoute(route);
    const reply = METHODS.indexOf(method) * STATUSES + status;
    counts.replies.set(reply, (counts.replies.get(reply) ?? 0) + 1);
    counts.durations.add(event.milliseconds);
    if (event.stages !== undefined) this.#noteStages(event.stages);
    if (code !== undefined) this.#errors.add(code);
    if (tier === undefined) return;
    this.#byTier.add(tier);
    this.#records.add(tier, records);
  }

  #noteStages(stages: readonly number[]): void {
    for (let at = 0; at < stages.length; at++) {
      if (stages[at]! > 0) this.#stageSpreads[at]!.add(stages[at]!);
    }
  }

  families(): Family[] {
    return [
      {
        name: "matchbook_requests_total",
        help: "Answered requests",
        type: "counter",
        samples: () => this.#replies(),
      },
      this.#durations,
      this.#stages,
      this.#errors,
      {
        name: "matchbook_limits_hit_total",
        help: "Requests refused because a limit was reached: the key's rate, its daily budget, or wrong keys from an address",
        type: "counter",
        samples: () => this.#limits(),
      },
      this.#byTier,
      this.#records,
    ];
  }

  #newRoute(route: string): RouteCounts {
    const counts = { durations: this.#durations.of(route), replies: new Map<number, number>() };
    this.#routes.set(route, counts);
    return counts;
  }

  #replies(): Sample[] {
    return [...this.#routes].flatMap(([route, { replies }]) =>
      [...replies].map(([reply, value]) => {
        const method = Math.floor(reply / STATUSES);
        const status = String(reply - method * STATUSES);
        return { value, labels: { route, method: METHODS[method] ?? OTHER_METHOD, status } };
      }),
    );
  }

  #limits(): Sample[] {
    return Object.entries(LIMITS).map(([limit, code]) => ({
      value: this.#errors.counts.get(code) ?? 0,
      labels: { limit },
    }));
  }
}
