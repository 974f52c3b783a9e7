/** Medians, repeatable random numbers, and tables. */

/** The mean of the two middle values for an even count. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("median of no values");
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

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

/** Markdown that is also readable on a terminal. The first column is text, the others are numbers; empty ones are dropped. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const columns = head
    .map((title, at) => [title, ...rows.map((row) => row[at] ?? "")])
    .filter(([, ...cells]) => cells.some((cell) => cell !== ""))
    .map((cells, at) => {
      const width = Math.max(3, ...cells.map((cell) => cell.length));
      const padded = cells.map((cell) => (at > 0 ? cell.padStart(width) : cell.padEnd(width)));
      const rule = at > 0 ? `${"-".repeat(width - 1)}:` : "-".repeat(width);
      return [padded[0]!, rule, ...padded.slice(1)];
    });
  const lines = Array.from({ length: rows.length + 2 }, (_, line) =>
    columns.map((column) => column[line]!).join(" | "),
  );
  return lines.map((line) => `| ${line} |`).join("\n");
}

/** 12345.6 as "12,346", 3.14 as "3.1", 0.01234 as "0.012". */
export function readable(value: number): string {
  const size = Math.abs(value);
  if (size >= 9.95) return Math.round(value).toLocaleString("en-US");
  if (size >= 0.995) return value.toFixed(1);
  return value === 0 ? "0" : value.toPrecision(2);
}

export const percent = (share: number): string => `${readable(share * 100)} %`;
export const times = (factor: number): string => `${readable(factor)}×`;
