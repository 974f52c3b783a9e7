/** A table with a caption and column headings. It scrolls sideways on small screens. */

import type { Key, ReactNode } from "react";
import { ScrollTable } from "./scroll-table.tsx";

export interface Column<T> {
  head: ReactNode;
  cell(row: T): ReactNode;
  /** Aligns to the right, with tabular figures. */
  isNumber?: boolean;
  /** Marks the cell as the row heading, for screen readers. */
  isHead?: boolean;
}

interface Props<T> {
  caption: string;
  /** Whether the caption is visible, or for screen readers only. */
  isCaptionVisible?: boolean;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf(row: T): Key;
}

export function Table<T>({ caption, isCaptionVisible = false, columns, rows, keyOf }: Props<T>) {
  return (
    <ScrollTable label={caption}>
      <table className="table">
        <caption className={isCaptionVisible ? "" : "visually-hidden"}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the order is fixed.
              <th key={at} scope="col" className={column.isNumber ? "number" : ""}>
                {column.head}
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
