/** In charge of bars and lines of bars, in block characters or in plain ASCII. */

/** From an eighth of a character to a whole one. */
const EIGHTHS = [..."▏▎▍▌▋▊▉█"];
const HEIGHTS = [..."▁▂▃▄▅▆▇█"];
const PLAIN_HEIGHTS = [...":-=+*#%@"];
const PLAIN_BAR = "#";

/** A bar of at most `width` characters for the highest value; whatever is not nothing can be seen. */
export function bar(value: number, highest: number, width: number, blocks: boolean): string {
  if (value === 0) return "";
  const steps = blocks ? EIGHTHS.length : 1;
  const length = Math.max(1, Math.round((value / highest) * width * steps));
  const whole = Math.floor(length / steps);
  const rest = length % steps;
  return (
    (blocks ? EIGHTHS.at(-1)! : PLAIN_BAR).repeat(whole) + (rest > 0 ? EIGHTHS[rest - 1]! : "")
  );
}

/** One character a value, as high as the value among them; nothing is a dot. */
export function sparkline(values: readonly number[], blocks: boolean): string {
  const heights = blocks ? HEIGHTS : PLAIN_HEIGHTS;
  const highest = Math.max(...values);
  return values
    .map((value) =>
      value === 0
        ? blocks
          ? "·"
          : "."
        : heights[Math.max(0, Math.round((value / highest) * heights.length) - 1)]!,
    )
    .join("");
}

/** The sums of runs of equal length, so that no more than `most` are left; the first may be shorter. */
export function summed(values: readonly number[], most: number): number[] {
  const length = Math.ceil(values.length / Math.max(1, most));
  const sums: number[] = [];
  for (let end = values.length; end > 0; end -= length) {
    const run = values.slice(Math.max(0, end - length), end);
    sums.unshift(run.reduce((sum, value) => sum + value, 0));
  }
  return sums;
}
