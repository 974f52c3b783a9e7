/** In charge of the few statistics that the benchmark needs, and of chance that repeats itself. */

/** The middle value; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("no values, no median");
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

export function mean(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("no values, no mean");
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The one in the middle by some measure: unlike a median, always one of the things given. */
export function middleBy<T>(things: readonly T[], measure: (thing: T) => number): T {
  if (things.length === 0) throw new RangeError("no things, none in the middle");
  return things.toSorted((one, other) => measure(one) - measure(other))[things.length >> 1]!;
}

/** By how many percent the second is more than the first. */
export const growthPercent = (before: number, after: number): number =>
  ((after - before) / before) * 100;

/** Rounded to so many significant digits, as results are kept. */
export const significant = (value: number, digits = 4): number => Number(value.toPrecision(digits));

/** Numbers from 0 up to 1 that are the same for the same seed (mulberry32). */
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
