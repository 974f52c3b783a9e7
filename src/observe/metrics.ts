/** In charge of metrics: fed by the same events as the log, read by whoever watches the service. */

import type { Event, Observe } from "./events.ts";
import { CONTENT_TYPE, exposition, processFamilies } from "./exposition.ts";
import { Counter, type Family, gauge, LabelledCounter } from "./family.ts";
import { PrivateMetrics } from "./private-metrics.ts";
import { RequestMetrics } from "./request-metrics.ts";
import { type ShardState, shardFamilies } from "./shards.ts";
import { type SharedLimitsState, sharedLimitFamilies } from "./shared-limits.ts";
import { asFamilies, labelled, type Snapshot, snapshotsOf, summed, together } from "./summed.ts";

/** What other processes of the same service tell of it, and of themselves. */
export interface Others {
  service: Snapshot[];
  process: Snapshot[];
}

export interface MetricsOptions {
  version: string;
  /** The names of the stages that request events tell of, in their order. */
  stages: readonly string[];
  /** Asked anew for each reading. */
  shardStates(): Promise<ShardState[]>;
  /** Asked anew for each reading; undefined where limits are not shared. */
  sharedLimits?(): SharedLimitsState | undefined;
  clock: { now(): number };
}

export class Metrics {
  readonly contentType = CONTENT_TYPE;
  readonly #options: MetricsOptions;
  readonly #requests: RequestMetrics;
  readonly #private = new PrivateMetrics();
  #liveKeys = 0;
  readonly #keyFailures = new Counter(
    "matchbook_key_reload_failures_total",
    "Times that the API keys could not be read again; the last ones still count",
  );
  readonly #usageFailures = new Counter(
    "matchbook_usage_write_failures_total",
    "Times that usage and budgets could not be written down; they are still counted",
  );
  readonly #shardFailures = new LabelledCounter(
    "matchbook_shard_failures_total",
    "Times that a look at the shard failed; /status, /readyz and every reading of these metrics look",
    "shard",
  );

  constructor(options: MetricsOptions) {
    this.#options = options;
    this.#requests = new RequestMetrics(options.stages);
  }

  readonly observe: Observe = (event: Event) => {
    switch (event.event) {
      case "request":
        this.#requests.note(event);
        break;
      case "admin-request":
        this.#private.noteRequest(event);
        break;
      case "upload":
        this.#private.noteUpload(event);
        break;
      case "keys-reloaded":
        this.#liveKeys = event.live;
        break;
      case "keys-unreadable":
      case "keys-still-unreadable":
        this.#keyFailures.add();
        break;
      case "usage-unwritten":
      case "usage-still-unwritten":
        this.#usageFailures.add();
        break;
      case "shard-unavailable":
        this.#shardFailures.add(event.shard);
        break;
    }
  };

  /** Everything as it is now, in the text form of Prometheus. */
  async text(): Promise<string> {
    const shards = await this.#shardFamilies();
    return exposition([...this.families(), ...shards, ...(await this.processFamilies())]);
  }

  /** The same for a service of several processes. Shards are those that this one sees. */
  async textWith(others: Others): Promise<string> {
    const service = summed([snapshotsOf(this.families()), others.service]);
    const shards = await this.#shardFamilies();
    const own = labelled(snapshotsOf(await this.processFamilies()), { worker: "supervisor" });
    const processes = together([own, others.process]);
    return exposition([...asFamilies(service), ...shards, ...asFamilies(processes)]);
  }

  readonly processFamilies = processFamilies;

  async #shardFamilies(): Promise<Family[]> {
    const { shardStates, clock } = this.#options;
    return shardFamilies(await shardStates(), clock.now());
  }

  /** What this process has counted. */
  families(): Family[] {
    const { version } = this.#options;
    return [
      gauge("matchbook_build_info", "Always 1; the label tells the version", () => [
        { value: 1, labels: { version } },
      ]),
      ...this.#requests.families(),
      gauge("matchbook_live_keys", "API keys in force", () => [{ value: this.#liveKeys }]),
      this.#keyFailures,
      this.#usageFailures,
      ...sharedLimitFamilies(this.#options.sharedLimits?.()),
      ...this.#private.families(),
      this.#shardFailures,
    ];
  }
}
