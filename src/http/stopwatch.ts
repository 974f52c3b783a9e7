/** In charge of how long each stage of a request took. */

/** In the order of the story. */
export const STAGES = [
  "route",
  "credentials",
  "limits",
  "query",
  "store",
  "document",
  "reply",
] as const;

export type Stage = (typeof STAGES)[number];

const INDEX = Object.fromEntries(STAGES.map((stage, index) => [stage, index])) as Record<
  Stage,
  number
>;

export class Stopwatch {
  /** Milliseconds, by the order of STAGES; a stage that was never reached took none. */
  readonly laps: number[] = STAGES.map(() => 0);
  readonly began: number;
  #last: number;

  constructor(readonly monotonic: () => number) {
    this.began = monotonic();
    this.#last = this.began;
  }

  /** Says that a stage, or a part of it, is over. */
  lap(stage: Stage): void {
    const now = this.monotonic();
    this.laps[INDEX[stage]]! += now - this.#last;
    this.#last = now;
  }
}
