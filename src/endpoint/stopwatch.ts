/** Measures how long a request takes. */
export class Stopwatch {
  readonly began: number;

  constructor(private readonly monotonic: () => number) {
    this.began = monotonic();
  }

  elapsed(): number {
    return this.monotonic() - this.began;
  }
}
