/** Markdown tables and numbers that are also readable on a terminal. */

/** The first column is text, the others are numbers. Empty columns are dropped. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const columns = head
    .map((title, at) => ({ title, cells: rows.map((row) => row[at] ?? "") }))
    .filter(({ cells }) => cells.some((cell) => cell !== ""))
    .map(({ title, cells }, at) => alignedColumn([title, ...cells], at > 0));
  const lines = Array.from({ length: rows.length + 2 }, (_, line) =>
    columns.map((column) => column[line]!).join(" | "),
  );
  return lines.map((line) => `| ${line} |`).join("\n");
}

/** Pads cells to one width and adds the rule below the header. */
function alignedColumn([title, ...cells]: string[], isNumeric: boolean): string[] {
  const width = Math.max(3, ...[title!, ...cells].map((cell) => Bun.stringWidth(cell)));
  const rule = isNumeric ? `${"-".repeat(width - 1)}:` : "-".repeat(width);
  const [head, ...rest] = [title!, ...cells].map((cell) => padded(cell, width, isNumeric));
  return [head!, rule, ...rest];
}

function padded(cell: string, width: number, toTheRight: boolean): string {
  const blanks = " ".repeat(width - Bun.stringWidth(cell));
  return toTheRight ? blanks + cell : cell + blanks;
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
