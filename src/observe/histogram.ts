/** In charge of how durations are spread: counted in buckets, in a few nanoseconds each. */

import type { Family, Sample } from "./family.ts";

/** The durations of one value of a label. */
export class Spread {
  readonly #bounds: readonly number[];
  /** One more than there are bounds: the last is for what lies above them all. */
  readonly #buckets: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#buckets = new Float64Array(bounds.length + 1);
  }

  add(milliseconds: number): void {
    const bounds = this.#bounds;
    const seconds = milliseconds / 1000;
    let at = 0;
    while (at < bounds.length && seconds > bounds[at]!) at += 1;
    this.#buckets[at]! += 1;
    this.#sum += seconds;
  }

  samples(name: string, labels: Record<string, string>): Sample[] {
    let count = 0;
    const buckets = [...this.#buckets].map((more, at) => {
      count += more;
      const le = String(this.#bounds[at] ?? "+Inf");
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

/** Spreads by the values of a label, in the order in which they were first asked for. */
export class Histogram implements Family {
  readonly type = "histogram";
  readonly #spreads = new Map<string, Spread>();

  constructor(
    readonly name: string,
    readonly help: string,
    readonly label: string,
    readonly bounds: readonly number[],
  ) {}

  /** Kept by whoever adds to it: to look it up each time would cost more than to add. */
  of(value: string): Spread {
    const known = this.#spreads.get(value);
    if (known) return known;
    const spread = new Spread(this.bounds);
    this.#spreads.set(value, spread);
    return spread;
  }

  samples(): Sample[] {
    return [...this.#spreads].flatMap(([value, spread]) =>
      spread.samples(this.name, { [this.label]: value }),
    );
  }
}
