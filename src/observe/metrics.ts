/** The metrics of the service, counted from the same events that the log shows. */

import type { Event, Observe } from "./events.ts";
import { processFamilies } from "./process-metrics.ts";
import {
  Counter,
  exposition,
  gauge,
  labelled,
  type MetricFamily,
  merged,
  total,
} from "./prometheus.ts";
import { RequestMetrics } from "./request-metrics.ts";
import { type ShardStatus, shardFamilies } from "./shard-metrics.ts";
import { standardError } from "./stderr.ts";

/** The state of limits that several instances share. */
export interface SharedLimitsState {
  /** False while every instance applies its own limits. */
  isUp: boolean;
  /** Decisions this instance made alone because Redis was unavailable. */
  fallbacks: number;
}

export interface MetricsOptions {
  version: string;
  /** Called for each scrape. */
  shardStates(): Promise<ShardStatus[]>;
  /** Called for each scrape; undefined where limits are not shared. */
  sharedLimits?(): SharedLimitsState | undefined;
}

/** The results of an uploaded record, by their names in the event. */
const OUTCOMES = ["stored", "withheld", "duplicate", "conflict", "pruned", "rejected"] as const;

export class Metrics {
  readonly #requests: RequestMetrics;
  #liveKeys = 0;
  readonly #keyFailures = new Counter(
    "matchbook_key_reload_failures_total",
    "Failed attempts to load or reload the API keys; the keys loaded last remain valid",
  );
  readonly #usageFailures = new Counter(
    "matchbook_usage_write_failures_total",
    "Failed attempts to store usage and quotas; counting continues in memory",
  );
  readonly #uploadedRecords = new Counter(
    "matchbook_uploaded_records_total",
    "Uploaded records, by outcome",
    ["outcome"],
  );
  readonly #brokenUploads = new Counter(
    "matchbook_failed_uploads_total",
    "Uploads that were aborted before their end",
  );
  readonly #damagedRecords = new Counter(
    "matchbook_damaged_records_total",
    "Damaged records found: by requests, which were answered with 503, and by each scheduled verify",
    ["shard"],
  );
  readonly #others: (() => MetricFamily[])[] = [];

  constructor(private readonly options: MetricsOptions) {
    this.#requests = new RequestMetrics();
    for (const outcome of OUTCOMES) this.#uploadedRecords.add([outcome], 0);
  }

  /** Adds these to each scrape from now on. */
  include(families: () => MetricFamily[]): void {
    this.#others.push(families);
  }

  readonly observe: Observe = (event: Event) => {
    switch (event.event) {
      case "request":
        this.#requests.count(event);
        break;
      case "upload":
        for (const outcome of OUTCOMES) this.#uploadedRecords.add([outcome], event[outcome]);
        if (event.broken !== undefined) this.#brokenUploads.add();
        break;
      case "keys-reloaded":
        this.#liveKeys = event.live;
        break;
      case "keys-load-failed":
      case "keys-reload-failed":
      case "keys-reload-still-failing":
        this.#keyFailures.add();
        break;
      case "usage-write-failed":
      case "usage-write-still-failing":
        this.#usageFailures.add();
        break;
      case "damaged-data":
        this.#damagedRecords.add([event.shard]);
        break;
      case "shard-available":
        this.#requests.addShard(event.shard);
        break;
    }
  };

  /** All metrics in the text format of Prometheus, with those of the workers if there are any. */
  async text(workers?: readonly MetricFamily[]): Promise<string> {
    const shards = shardFamilies(await this.options.shardStates());
    const all = [...this.families(), ...shards];
    if (!workers) return exposition([...all, ...processFamilies()]);
    const own = labelled(processFamilies(), { worker: "supervisor" });
    return exposition(merged([...all, ...own, ...workers]));
  }

  /** The metrics of this process. */
  families(): MetricFamily[] {
    const { version, sharedLimits } = this.options;
    // Limits that are not configured to be shared count as up.
    const { isUp, fallbacks } = sharedLimits?.() ?? { isUp: true, fallbacks: 0 };
    return [
      gauge("matchbook_build_info", "Always 1; the version is a label", [
        { value: 1, labels: { version } },
      ]),
      ...this.#requests.families(),
      gauge("matchbook_active_keys", "Valid API keys", this.#liveKeys),
      this.#keyFailures.family(),
      this.#usageFailures.family(),
      {
        ...gauge(
          "matchbook_shared_limits_up",
          "0 while Redis is unavailable and each instance applies its own limits, otherwise 1",
          isUp ? 1 : 0,
        ),
        merge: "lowest",
      },
      total(
        "matchbook_shared_limit_fallbacks_total",
        "Limit decisions made without Redis because it was unavailable",
        fallbacks,
      ),
      ...this.#others.flatMap((families) => families()),
      this.#uploadedRecords.family(),
      this.#brokenUploads.family(),
      this.#damagedRecords.family(),
      total(
        "matchbook_log_lines_dropped_total",
        "Log lines that were dropped because the log was not read in time",
        standardError.dropped,
      ),
    ];
  }
}
