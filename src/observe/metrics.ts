/** The metrics of the service: counted from the same events as the log, read by a monitoring system. */

import type { Event, Observe } from "./events.ts";
import { processFamilies } from "./process-metrics.ts";
import {
  CONTENT_TYPE,
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

/** Limits that several instances share. */
export interface SharedLimitsState {
  /** False while every instance applies limits of its own. */
  isUp: boolean;
  /** Decisions that were made alone because sharing was not possible. */
  fallbacks: number;
}

export interface MetricsOptions {
  version: string;
  /** The names of the stages that request events report, in their order. */
  stages: readonly string[];
  /** Called for each reading. */
  shardStates(): Promise<ShardStatus[]>;
  /** Called for each reading; undefined where limits are not shared. */
  sharedLimits?(): SharedLimitsState | undefined;
  clock: { now(): number };
}

/** What may become of an uploaded record, by the names of the event. */
const OUTCOMES = ["stored", "withheld", "duplicate", "conflict", "rejected"] as const;

export class Metrics {
  readonly contentType = CONTENT_TYPE;
  readonly #requests: RequestMetrics;
  #liveKeys = 0;
  readonly #keyFailures = new Counter(
    "matchbook_key_reload_failures_total",
    "Times that the API keys could not be read again; the last ones still count",
  );
  readonly #usageFailures = new Counter(
    "matchbook_usage_write_failures_total",
    "Times that usage and budgets could not be written down; they are still counted",
  );
  readonly #adminRequests = new Counter(
    "matchbook_admin_requests_total",
    "Answered requests of the private listener",
    ["status"],
  );
  readonly #uploadedRecords = new Counter(
    "matchbook_uploaded_records_total",
    "Records that were uploaded, by what became of them",
    ["outcome"],
  );
  readonly #brokenUploads = new Counter(
    "matchbook_failed_uploads_total",
    "Uploads that broke off before their end",
  );
  readonly #shardFailures = new Counter(
    "matchbook_shard_failures_total",
    "Times that a look at the shard failed; /status, /readyz and every reading of these metrics look",
    ["shard"],
  );

  constructor(private readonly options: MetricsOptions) {
    this.#requests = new RequestMetrics(options.stages);
    for (const outcome of OUTCOMES) this.#uploadedRecords.add([outcome], 0);
  }

  readonly observe: Observe = (event: Event) => {
    switch (event.event) {
      case "request":
        this.#requests.count(event);
        break;
      case "admin-request":
        this.#adminRequests.add([String(event.status)]);
        break;
      case "upload":
        for (const outcome of OUTCOMES) this.#uploadedRecords.add([outcome], event[outcome]);
        if (event.broken !== undefined) this.#brokenUploads.add();
        break;
      case "keys-reloaded":
        this.#liveKeys = event.live;
        break;
      case "keys-reload-failed":
      case "keys-reload-still-failing":
        this.#keyFailures.add();
        break;
      case "usage-write-failed":
      case "usage-write-still-failing":
        this.#usageFailures.add();
        break;
      case "shard-unavailable":
        this.#shardFailures.add([event.shard]);
        break;
    }
  };

  /** Everything as it is now, in the text format of Prometheus. */
  async text(): Promise<string> {
    const shards = await this.#shardFamilies();
    return exposition([...this.families(), ...shards, ...(await processFamilies())]);
  }

  /** The same for a service of several processes: those of this one and of its `workers`. */
  async textWith(workers: readonly MetricFamily[]): Promise<string> {
    const shards = await this.#shardFamilies();
    const own = labelled(await processFamilies(), { worker: "supervisor" });
    return exposition(merged([...this.families(), ...shards, ...own, ...workers]));
  }

  async #shardFamilies(): Promise<MetricFamily[]> {
    const { shardStates, clock } = this.options;
    return shardFamilies(await shardStates(), clock.now());
  }

  /** What this process has counted. */
  families(): MetricFamily[] {
    const { version, sharedLimits } = this.options;
    return [
      gauge("matchbook_build_info", "Always 1; the label tells the version", [
        { value: 1, labels: { version } },
      ]),
      ...this.#requests.families(),
      gauge("matchbook_active_keys", "API keys in force", this.#liveKeys),
      this.#keyFailures.family(),
      this.#usageFailures.family(),
      ...sharedLimitFamilies(sharedLimits?.()),
      this.#adminRequests.family(),
      this.#uploadedRecords.family(),
      this.#brokenUploads.family(),
      this.#shardFailures.family(),
      total(
        "matchbook_log_lines_dropped_total",
        "Log lines that were dropped because the log was not read in time",
        standardError.dropped,
      ),
    ];
  }
}

/** Where limits are not meant to be shared, they count as up. */
function sharedLimitFamilies(
  state: SharedLimitsState = { isUp: true, fallbacks: 0 },
): MetricFamily[] {
  return [
    {
      ...gauge(
        "matchbook_shared_limits_up",
        "0 while limits that instances are meant to share through Redis are not shared, else 1",
        state.isUp ? 1 : 0,
      ),
      isLowest: true,
    },
    total(
      "matchbook_shared_limit_fallbacks_total",
      "Decisions about limits that this instance made alone because Redis was away",
      state.fallbacks,
    ),
  ];
}
