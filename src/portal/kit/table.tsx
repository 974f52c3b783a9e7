/** In charge of tables: a caption, headed columns, and a frame that scrolls sideways on small screens. */

import type { Key, ReactNode } from "react";

export interface Column<T> {
  head: ReactNode;
  cell(row: T): ReactNode;
  /** Numbers stand at the right, in figures of one width. */
  isNumber?: boolean;
  /** Names the row, for screen readers. */
  isHead?: boolean;
}

interface Props<T> {
  caption: string;
  /** Seen, or for screen readers alone. */
  isCaptionSeen?: boolean;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf(row: T): Key;
}

export function Table<T>({ caption, isCaptionSeen = false, columns, rows, keyOf }: Props<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
    <section className="table-frame" aria-label={caption} tabIndex={0}>
      <table className="table">
        <caption className={isCaptionSeen ? "" : "visually-hidden"}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move.
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
    </section>
  );
}

function cellOf<T>(column: Column<T>, row: T, at: number) {
  const className = column.isNumber ? "number" : "";
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
