/** In charge of what a metric is here: a name, what it means, and its values whenever somebody asks. */

export interface Sample {
  value: number;
  labels?: Record<string, string>;
  /** Where it is not the family's: the parts of a histogram have names of their own. */
  metricName?: string;
}

/** One metric with all the values of its labels. */
export interface Family {
  name: string;
  /** In words, as docs/monitoring.md repeats it. */
  help: string;
  type: "counter" | "gauge" | "histogram";
  /** Of a gauge that several processes tell, the lowest value counts, and not the highest. */
  isLowest?: boolean;
  samples(): Sample[];
}

/** A number that only grows. */
export class Counter implements Family {
  readonly type = "counter";
  #count = 0;

  constructor(
    readonly name: string,
    readonly help: string,
  ) {}

  add(): void {
    this.#count += 1;
  }

  samples(): Sample[] {
    return [{ value: this.#count }];
  }
}

/** A number that only grows, for each value of a label. Whoever adds keeps the values few. */
export class LabelledCounter implements Family {
  readonly type = "counter";
  readonly counts = new Map<string, number>();

  constructor(
    readonly name: string,
    readonly help: string,
    readonly label: string,
  ) {}

  add(value: string, by = 1): void {
    this.counts.set(value, (this.counts.get(value) ?? 0) + by);
  }

  samples(): Sample[] {
    return [...this.counts].map(([labelled, value]) => ({
      value,
      labels: { [this.label]: labelled },
    }));
  }
}

/** Numbers that may go up and down, as they are when somebody asks. */
export function gauge(name: string, help: string, samples: () => Sample[]): Family {
  return { name, help, type: "gauge", samples };
}
