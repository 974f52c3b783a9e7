/** Text tables of the command line. */

/** Aligned columns, by width on a terminal: names may be in any script. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, Bun.stringWidth(cell));
    }
  }
  const pad = (cell: string, column: number) =>
    cell + " ".repeat(widths[column]! - Bun.stringWidth(cell));
  return rows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}

/** How long ago something was. */
export function age(milliseconds: number): string {
  const minutes = Math.round(Math.max(0, milliseconds) / 60_000);
  if (minutes < 120) return `${minutes} min ago`;
  const hours = Math.round(minutes / 60);
  return hours < 72 ? `${hours} h ago` : `${Math.round(hours / 24)} days ago`;
}

/** E.g. "1 record", "2 records". */
export const counted = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? "" : "s"}`;
