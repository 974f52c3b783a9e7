/** Statistics, and repeatable random numbers. */

/** The mean of the two middle values for an even count. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("median of no values");
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

export function mean(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("mean of no values");
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The middle element by a measure. */
export function middleBy<T>(things: readonly T[], measure: (thing: T) => number): T {
  if (things.length === 0) throw new RangeError("middle of no values");
  return things.toSorted((one, other) => measure(one) - measure(other))[things.length >> 1]!;
}

/** The growth in percent. */
export const growthPercent = (before: number, after: number): number =>
  ((after - before) / before) * 100;

/** Rounded to significant digits. */
export const significant = (value: number, digits = 4): number => Number(value.toPrecision(digits));

/** Random numbers from 0 to 1, repeatable by seed (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function shuffled<T>(things: readonly T[], random: () => number): T[] {
  const mixed = [...things];
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [mixed[last], mixed[other]] = [mixed[other]!, mixed[last]!];
  }
  return mixed;
}
