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
  /** The rows are in the order of this column. */
  sorted?: "ascending" | "descending" | undefined;
}

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
            {columns.map((column, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the order is fixed.
              <th key={at} scope="col" className={classOf(column)} aria-sort={column.sorted}>
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

const classOf = ({ isNumber = false }: { isNumber?: boolean }) => (isNumber ? "number" : "");

function cellOf<T>(column: Column<T>, row: T, at: number) {
  const className = `${classOf(column)}${column.sorted ? " sorted" : ""}`;
  return column.isHead ? (
    <th key={at} scope="row" className={className}>
      {column.cell(row)}
    </th>
  ) : (
    <td key={at} className={className}>
      {column.cell(row)}
    </td>
  );
}
