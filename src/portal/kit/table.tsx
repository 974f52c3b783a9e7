/** A table with a caption and column headings. It scrolls sideways on small screens. */

import type { Key, ReactNode } from "react";
import { ScrollTable } from "./scroll-table.tsx";

export interface Column<T> {
  head: ReactNode;
  /** If the rows are in the order of this column. */
  sorted?: "ascending" | "descending" | undefined;
  cell(row: T): ReactNode;
  /** Aligns to the right, with tabular figures. */
  isNumber?: boolean;
  /** Marks the cell as the row heading, for screen readers. */
  isHead?: boolean;
}

/** A column of numbers. */
export const numbers = <T,>(head: ReactNode, cell: Column<T>["cell"]): Column<T> => ({
  head,
  cell,
  isNumber: true,
});

interface Props<T> {
  caption: string;
  /** Whether the caption is visible, or for screen readers only. */
  isCaptionVisible?: boolean;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf(row: T): Key;
  /** Names the frame; the caption if absent. */
  label?: string;
  className?: string;
}

export function Table<T>({ caption, isCaptionVisible = false, columns, rows, ...rest }: Props<T>) {
  const { keyOf, label = caption, className = "" } = rest;
  return (
    <ScrollTable label={label}>
      <table className={`table ${className}`}>
        <caption className={isCaptionVisible ? "" : "visually-hidden"}>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, sorted, isNumber }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the order is fixed.
              <th key={at} scope="col" className={isNumber ? "number" : ""} aria-sort={sorted}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>{columns.map((column, at) => cellOf(column, row, at))}</tr>
          ))}
        </tbody>
      </table>
    </ScrollTable>
  );
}

function cellOf<T>({ isHead = false, isNumber = false, cell }: Column<T>, row: T, at: number) {
  const Cell = isHead ? "th" : "td";
  return (
    <Cell key={at} scope={isHead ? "row" : undefined} className={isNumber ? "number" : ""}>
      {cell(row)}
    </Cell>
  );
}
