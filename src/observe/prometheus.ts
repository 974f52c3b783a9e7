/** Prometheus metric types, the text format, and merging the metrics of several processes. */

export interface Sample {
  value: number;
  labels?: Record<string, string>;
  /** `_bucket`, `_sum` or `_count` in a histogram. */
  suffix?: string;
}

/** A metric with its current values. Plain data, so that it can be sent to another process. */
export interface MetricFamily {
  name: string;
  /** docs/monitoring.md repeats it. */
  help: string;
  type: "counter" | "gauge" | "histogram";
  /** What the value of this gauge is when several processes report it. By default the highest wins. */
  merge?: "lowest" | "sum";
  samples: readonly Sample[];
}

interface LabelledCount {
  labels: Record<string, string>;
  value: number;
}

/** A count for each combination of label values. Callers keep their number small. */
export class Counter {
  /** By the label values. */
  readonly #samples = new Map<string, LabelledCount>();

  constructor(
    readonly name: string,
    readonly help: string,
    readonly labels: readonly string[] = [],
  ) {
    if (labels.length === 0) this.add([], 0);
  }

  /** `values` are in the order of the labels. */
  add(values: readonly string[] = [], by = 1): void {
    const key = values.join("\0");
    const count = this.#samples.get(key) ?? this.#newCount(key, values);
    count.value += by;
  }

  family(): MetricFamily {
    const { name, help } = this;
    return { name, help, type: "counter", samples: [...this.#samples.values()] };
  }

  #newCount(key: string, values: readonly string[]): LabelledCount {
    const labels = Object.fromEntries(this.labels.map((label, at) => [label, values[at]!]));
    const count = { labels, value: 0 };
    this.#samples.set(key, count);
    return count;
  }
}

/** A count for each bucket, the last one unbounded, then the sum in seconds. */
export const durationCounts = (bounds: readonly number[]): Float64Array =>
  new Float64Array(bounds.length + 2);

/** `bounds` are in seconds. */
export function addDuration(
  counts: Float64Array,
  bounds: readonly number[],
  milliseconds: number,
): void {
  const seconds = milliseconds / 1000;
  let at = 0;
  while (at < bounds.length && seconds > bounds[at]!) at += 1;
  counts[at]! += 1;
  counts[bounds.length + 1]! += seconds;
}

/** Counts with the same bounds, added up for each value of one label. */
export function histogram(
  name: string,
  help: string,
  label: string,
  bounds: readonly number[],
  counted: readonly { value: string; counts: Float64Array }[],
): MetricFamily {
  const samples = [...Map.groupBy(counted, ({ value }) => value)].flatMap(([value, those]) => {
    const labels = { [label]: value };
    const sumAt = (at: number) => those.reduce((sum, { counts }) => sum + counts[at]!, 0);
    let total = 0;
    const buckets = [...bounds, "+Inf"].map((bound, at) => {
      total += sumAt(at);
      return { suffix: "_bucket", labels: { ...labels, le: String(bound) }, value: total };
    });
    return [
      ...buckets,
      { suffix: "_sum", labels, value: sumAt(bounds.length + 1) },
      { suffix: "_count", labels, value: total },
    ];
  });
  return { name, help, type: "histogram", samples };
}

/** A value that may go up and down, or one for each combination of labels. */
export function gauge(name: string, help: string, value: number | readonly Sample[]): MetricFamily {
  return { name, help, type: "gauge", samples: typeof value === "number" ? [{ value }] : value };
}

/** A counter that is kept elsewhere. */
export function total(name: string, help: string, value: number): MetricFamily {
  return { name, help, type: "counter", samples: [{ value }] };
}

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export function exposition(families: readonly MetricFamily[]): string {
  return families
    .flatMap(({ name, help, type, samples }) => [
      `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`,
      ...samples.map((sample) => `${name}${series(sample)} ${sample.value}\n`),
    ])
    .join("");
}

function series({ suffix = "", labels = {} }: Sample): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length === 0 ? suffix : `${suffix}{${pairs.join(",")}}`;
}

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

/**
 * Merges families of the same name. Counters and histograms are added up. For gauges the highest value wins
 * unless `merge` says otherwise: all processes report the same thing, but one that has just started may not know it yet.
 */
export function merged(families: readonly MetricFamily[]): MetricFamily[] {
  const byName = new Map<string, { family: MetricFamily; samples: Map<string, Sample> }>();
  for (const family of families) {
    const entry = byName.get(family.name) ?? { family, samples: new Map<string, Sample>() };
    byName.set(family.name, entry);
    for (const sample of family.samples) {
      const key = series(sample);
      const known = entry.samples.get(key);
      const value = known ? joined(family, known.value, sample.value) : sample.value;
      entry.samples.set(key, { ...sample, value });
    }
  }
  return [...byName.values()].map(({ family, samples }) => ({
    ...family,
    samples: [...samples.values()],
  }));
}

function joined({ type, merge }: MetricFamily, one: number, other: number): number {
  if (type !== "gauge" || merge === "sum") return one + other;
  return merge === "lowest" ? Math.min(one, other) : Math.max(one, other);
}

/** The metrics with one more label. */
export const labelled = (
  families: readonly MetricFamily[],
  label: Record<string, string>,
): MetricFamily[] =>
  families.map((family) => ({
    ...family,
    samples: family.samples.map((sample) => ({
      ...sample,
      labels: { ...sample.labels, ...label },
    })),
  }));
