/** In charge of tables that fit a terminal: numbers to the right, names cut short if they must be. */

import { columns } from "./verb.ts";

const LEAST_NAME = 12;

/** Aligns the cells of some columns to the right; each column's head is its first cell. */
export function rightAligned(
  rows: readonly (readonly string[])[],
  which: readonly number[],
): string[][] {
  const aligned = rows.map((row) => [...row]);
  for (const column of which) {
    const width = Math.max(...aligned.map((row) => Bun.stringWidth(row[column]!)));
    for (const row of aligned) row[column] = row[column]!.padStart(width);
  }
  return aligned;
}

/** A table whose column of names is cut short as far as it takes to fit the width. */
export function fitted(
  rows: readonly (readonly string[])[],
  names: number,
  width: number,
  cut: string,
): string {
  const widest = Math.max(
    ...columns(rows)
      .split("\n")
      .map((line) => Bun.stringWidth(line)),
  );
  const longest = Math.max(...rows.map((row) => Bun.stringWidth(row[names]!)));
  const room = Math.max(LEAST_NAME, longest - Math.max(0, widest - width));
  return columns(
    rows.map((row) => row.map((cell, at) => (at === names ? shortened(cell, room, cut) : cell))),
  );
}

/** At most so many columns wide, ending in `cut` if something is missing. */
function shortened(text: string, room: number, cut: string): string {
  if (Bun.stringWidth(text) <= room) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (Bun.stringWidth(kept + segment + cut) > room) break;
    kept += segment;
  }
  return kept + cut;
}
