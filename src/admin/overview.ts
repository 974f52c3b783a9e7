/**
 * GET /overview: what the shards hold, what this instance has done since its start and in the last hour, and the usage of
 * keys today.
 */

import { describeKey } from "../access/describe-key.ts";
import { dayOf, requestsOf } from "../access/usage.ts";
import { VISITORS } from "../access/visitors.ts";
import { visitorLimits } from "../domain/limits.ts";
import { formatTimestamp } from "../domain/time.ts";
import { atMostOncePerSecond, shardStatuses } from "../http/status.ts";
import type { MetricFamily, Sample } from "../observe/prometheus.ts";
import type { ShardStatus } from "../observe/shard-metrics.ts";
import type { SharedService } from "./service.ts";

const MINUTE_MS = 60_000;
/** Minutes that are remembered. */
const HOUR = 60;
/** How often it is checked whether a minute has passed. */
const CHECK_MS = 5000;

/** What was counted until a moment. */
interface Counted {
  at: number;
  requests: number;
  errors: number;
  durations: Buckets;
}

/** How many observations do not exceed each bound of a histogram. */
type Buckets = ReadonlyMap<number, number>;

/** Keys beyond the most used ones are only counted. */
const MOST_KEYS = 100;

export class Overview {
  /** Many pages may be open. */
  readonly read: () => Promise<object>;
  readonly #startedAt: number;
  /** At the start of each minute of the last hour, oldest first. */
  readonly #minutes: Counted[];
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(private readonly service: SharedService) {
    this.#startedAt = service.clock.now();
    this.#minutes = [{ at: this.#startedAt, requests: 0, errors: 0, durations: new Map() }];
    // Also while nobody watches. A failure is reported to those who do.
    this.#timer = setInterval(() => this.#noteMinute().catch(() => {}), CHECK_MS);
    this.#timer.unref();
    this.read = atMostOncePerSecond(() => this.#read(), service.clock.monotonic);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #noteMinute(): Promise<void> {
    const { clock, metrics } = this.service;
    if (clock.now() - this.#minutes.at(-1)!.at < MINUTE_MS) return;
    this.#countedNow(new MetricValues(await metrics.families()));
  }

  /** What is counted now; remembered if the last minute has passed. */
  #countedNow(values: MetricValues): Counted {
    const counted: Counted = {
      at: this.service.clock.now(),
      requests: values.sum("matchbook_requests_total"),
      errors: values.sum("matchbook_errors_total"),
      durations: values.buckets(SHARD_DURATIONS),
    };
    if (counted.at - this.#minutes.at(-1)!.at >= MINUTE_MS) this.#minutes.push(counted);
    if (this.#minutes.length > HOUR) this.#minutes.shift();
    return counted;
  }

  /** One entry for each minute, oldest first; the last one is not over yet. */
  #lastHour(now: Counted) {
    return this.#minutes.map((from, index) => {
      const to = this.#minutes[index + 1] ?? now;
      return {
        at: formatTimestamp(from.at),
        requests: difference(to.requests, from.requests),
        errors: difference(to.errors, from.errors),
        p95: percentilesOf(differences(to.durations, from.durations))?.p95 ?? null,
      };
    });
  }

  async #read(): Promise<object> {
    const { clock, metrics } = this.service;
    const states = await shardStatuses(this.service, { withSizes: false });
    const values = new MetricValues(await metrics.families());
    return {
      startedAt: formatTimestamp(this.#startedAt),
      now: formatTimestamp(clock.now()),
      requests: values.sum("matchbook_requests_total"),
      milliseconds: percentilesOf(values.buckets(SHARD_DURATIONS)),
      lastHour: this.#lastHour(this.#countedNow(values)),
      errors: values.by("matchbook_errors_total", "code"),
      uploads: values.by("matchbook_uploaded_records_total", "outcome"),
      shards: states.map((state) => shardOverview(state, values)),
      ...(await this.#keys()),
    };
  }

  /** The keys used today, most used first, then the others. */
  async #keys() {
    const { keyStore, usage, plan, clock, quotas } = this.service;
    const now = clock.now();
    const today = dayOf(now);
    const [records, days, seen] = await Promise.all([
      keyStore.list(),
      usage.read(today),
      usage.lastSeen(),
    ]);
    const used = new Map(days.filter(({ day }) => day === today).map((day) => [day.keyId, day]));
    const named = new Map(records.map((record) => [record.id, record]));
    const ids = [...new Set([...named.keys(), ...used.keys()])].sort(
      (one, other) =>
        requestsOf(used.get(other)) - requestsOf(used.get(one)) ||
        (seen.get(other) ?? 0) - (seen.get(one) ?? 0),
    );
    const keys = ids.slice(0, MOST_KEYS).map(async (id) => {
      const record = named.get(id);
      const known = record && describeKey(record, plan, seen.get(id), now);
      const day = used.get(id);
      // Their quota is counted by address, and not here.
      const isVisitors = id === VISITORS.id;
      const limits = isVisitors ? visitorLimits(plan) : known?.allowance;
      return {
        id,
        name: isVisitors ? VISITORS.name : (known?.name ?? null),
        state: known?.state ?? null,
        tier: limits?.tier ?? null,
        requestsToday: requestsOf(day),
        errorsToday: requestsOf(day, 400),
        matchesToday: isVisitors ? null : day ? await quotas.count(id, now) : 0,
        matchesPerDay: limits?.matchesPerDay || null,
        lastSeen: seen.has(id) ? formatTimestamp(seen.get(id)!) : null,
      };
    });
    return { keys: await Promise.all(keys), keyCount: ids.length };
  }
}

const shardOverview = (
  { id, available, matches, players, newestMatch }: ShardStatus,
  values: MetricValues,
) => ({
  id,
  available,
  matches: available ? matches : null,
  players: available ? players : null,
  newestMatch: newestMatch === undefined ? null : formatTimestamp(newestMatch),
  requests: values.by("matchbook_shard_requests_total", "result", { shard: id }),
  milliseconds: percentilesOf(values.buckets(SHARD_DURATIONS, id)),
});

const SHARD_DURATIONS = "matchbook_shard_request_duration_seconds";

/** Metrics of all processes, by name. */
class MetricValues {
  readonly #families: Map<string, MetricFamily>;

  constructor(families: readonly MetricFamily[]) {
    this.#families = new Map(families.map((family) => [family.name, family]));
  }

  sum(name: string): number {
    return this.#samples(name).reduce((sum, { value }) => sum + value, 0);
  }

  /** The values by a label, without those that are 0. */
  by(name: string, label: string, only: Record<string, string> = {}): Record<string, number> {
    const chosen = this.#samples(name).filter(
      ({ labels = {}, value }) =>
        value > 0 && Object.entries(only).every(([one, wanted]) => labels[one] === wanted),
    );
    return Object.fromEntries(chosen.map(({ labels, value }) => [labels![label]!, value]));
  }

  /** Of a histogram, for one shard or all. */
  buckets(name: string, shard?: string): Buckets {
    const counts = new Map<number, number>();
    for (const { suffix, labels, value } of this.#samples(name)) {
      if (suffix !== "_bucket" || (shard !== undefined && labels?.shard !== shard)) continue;
      const bound = Number(labels!.le!.replace("+Inf", "Infinity"));
      counts.set(bound, (counts.get(bound) ?? 0) + value);
    }
    return counts;
  }

  #samples(name: string): readonly Sample[] {
    return this.#families.get(name)?.samples ?? [];
  }
}

/** A process that was replaced counts from 0 again. */
const difference = (to: number, from: number): number => Math.max(0, to - from);

const differences = (to: Buckets, from: Buckets): Buckets =>
  new Map([...to].map(([bound, value]) => [bound, difference(value, from.get(bound) ?? 0)]));

/** In milliseconds, interpolated within the buckets; null without requests. */
function percentilesOf(counts: Buckets) {
  const buckets = [...counts]
    .map(([bound, value]) => ({ bound, value }))
    .sort((one, other) => one.bound - other.bound);
  const total = buckets.at(-1)?.value ?? 0;
  if (total === 0) return null;
  const at = (part: number) => Math.round(within(buckets, part * total) * 1_000_000) / 1000;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** The value that `rank` of the observations do not exceed. Buckets are cumulative; the last has no bound. */
function within(buckets: readonly { bound: number; value: number }[], rank: number): number {
  let [low, before] = [0, 0];
  for (const { bound, value } of buckets) {
    if (value >= rank) {
      return bound === Infinity ? low : low + (bound - low) * ((rank - before) / (value - before));
    }
    [low, before] = [bound, value];
  }
  return low;
}
