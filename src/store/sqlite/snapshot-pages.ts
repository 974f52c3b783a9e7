/** Recognizes the rows of records on any page, and finds the snapshot of a match, without the trees above the pages. */

import { BrokenRow, isBlob, isNull, isText, type LeafRow, rowsOn, valuesIn } from "./leaf-rows.ts";
import type { PageFile } from "./page-file.ts";

/** The tables with parts of records. */
export const TABLES: readonly string[] = ["matches", "match_snapshots", "withheld", "player_base"];

/** The table of a row, by its columns. */
export function tableOf({ types }: LeafRow): string | undefined {
  const [first, second, third] = types;
  const count = types.length;
  if (count === 9 && isNull(first) && isBlob(types[5]) && isBlob(types[6])) {
    return "matches";
  }
  if (count === 9 && isText(first) && [5, 6, 7].every((at) => isBlob(types[at]))) {
    return "withheld";
  }
  if (count === 3 && isNull(first) && isBlob(second) && !isBlob(third)) {
    return "match_snapshots";
  }
  if (count === 12 && [first, second, third].every(isText)) return "actor_stats";
  if (count === 12 && isText(first) && (isBlob(types[9]) || isNull(types[9]))) {
    return "player_base";
  }
  return undefined;
}

/** A row may be a few pages before the one that should have it, if the first number of that one is damaged. */
const PAGES_TRIED = 8;

/** Holds a few numbers for each page of snapshots. */
export class SnapshotPages {
  readonly #pages: number[] = [];
  /** The first row of each. */
  readonly #firstRows: number[] = [];
  /** The positions in both lists, by first row. */
  #order = new Uint32Array();
  #last = { page: 0, rows: new Map<number, LeafRow>() };

  constructor(private readonly file: PageFile) {}

  /** Rows of one page are added together. */
  add(page: number, row: number): void {
    const last = this.#pages.length - 1;
    if (this.#pages[last] === page) {
      this.#firstRows[last] = Math.min(this.#firstRows[last]!, row);
      return;
    }
    this.#pages.push(page);
    this.#firstRows.push(row);
  }

  /** Call when all are added. */
  sort(): void {
    const firstRows = this.#firstRows;
    this.#order = Uint32Array.from(firstRows.keys()).sort(
      (one, other) => firstRows[one]! - firstRows[other]!,
    );
  }

  find(row: number): { bytes: Buffer; checksum: number | null } | undefined {
    const end = this.#pagesUpTo(row);
    for (let at = end - 1; at >= 0 && at >= end - PAGES_TRIED; at--) {
      const found = this.#rowsOn(this.#pages[this.#order[at]!]!).get(row);
      if (!found) continue;
      const [, bytes, checksum = null] = valuesIn(found) ?? [];
      return bytes instanceof Buffer ? { bytes, checksum: checksum as number | null } : undefined;
    }
    return undefined;
  }

  /** How many pages begin with this row or an earlier one. */
  #pagesUpTo(row: number): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#firstRows[this.#order[middle]!]! <= row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #rowsOn(page: number): Map<number, LeafRow> {
    if (this.#last.page === page) return this.#last.rows;
    const rows = new Map<number, LeafRow>();
    for (const row of rowsOn(this.file, page, this.file.read(page) ?? Buffer.alloc(8))) {
      if (row instanceof BrokenRow || tableOf(row) !== "match_snapshots") continue;
      rows.set(row.rowid, row);
    }
    this.#last = { page, rows };
    return rows;
  }
}
