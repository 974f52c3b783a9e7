/** Measures how long each stage of a request takes. */

/** In the order of the pipeline. */
export const STAGES = [
  "route",
  "credentials",
  "limits",
  "query",
  "store",
  "document",
  "response",
] as const;

export type Stage = (typeof STAGES)[number];

/** One request in this many is timed: reading the clock costs as much as some stages. */
export const TIMED_ONE_IN = 8;

const INDEX = Object.fromEntries(STAGES.map((stage, index) => [stage, index])) as Record<
  Stage,
  number
>;

export class Stopwatch {
  readonly began: number;
  /** Milliseconds in the order of STAGES, 0 for those not reached; undefined if this request is not timed. */
  readonly laps: number[] | undefined;
  readonly #monotonic: () => number;
  #last: number;

  constructor(monotonic: () => number, timesStages: boolean) {
    this.began = monotonic();
    this.laps = timesStages ? STAGES.map(() => 0) : undefined;
    this.#monotonic = monotonic;
    this.#last = this.began;
  }

  /** Ends a stage, or a part of it. */
  lap(stage: Stage): void {
    if (this.laps === undefined) return;
    const now = this.#monotonic();
    this.laps[INDEX[stage]]! += now - this.#last;
    this.#last = now;
  }

  elapsed(): number {
    return this.#monotonic() - this.began;
  }
}

/** Creates the stopwatches of a server. The first request is timed. */
export function stopwatches(monotonic: () => number): () => Stopwatch {
  let count = -1;
  return () => {
    count += 1;
    return new Stopwatch(monotonic, count % TIMED_ONE_IN === 0);
  };
}
