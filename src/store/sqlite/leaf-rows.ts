/** Reads the rows on a page of a table or an index, as far as they are whole. */

import { FILE_HEADER, type PageFile } from "./page-file.ts";

/** The kinds of pages that tables and indexes consist of. */
const KINDS = { indexInner: 2, tableInner: 5, indexLeaf: 10, tableLeaf: 13 };

export const isTablePage = (kind: number) => Object.values(KINDS).includes(kind);
export const isLeaf = (kind: number) => kind === KINDS.tableLeaf;
/** Tables without row numbers are indexes, which have rows on all of their pages. */
export const isIndexPage = (kind: number) => kind === KINDS.indexInner || kind === KINDS.indexLeaf;

export type Value = number | string | Buffer | null;

/** A row whose values have not been read yet. */
export interface LeafRow {
  /** 0 in an index. */
  rowid: number;
  /** As in the format of SQLite. */
  types: readonly number[];
  /** Throws BrokenRow if a page of a long row is damaged. */
  values(): Value[];
}

/** A row that cannot be read. */
export class BrokenRow extends Error {
  override name = "BrokenRow";
}

export const isNull = (type: number | undefined) => type === 0;
export const isInteger = (type: number | undefined) =>
  type !== undefined && ((type > 0 && type < 7) || type === 8 || type === 9);
export const isText = (type: number | undefined) => type !== undefined && type > 12 && type % 2 > 0;
export const isBlob = (type: number | undefined) =>
  type !== undefined && type > 11 && type % 2 === 0;

/** The byte at which a page says what it is. */
export const kindAt = (page: number) => (page === 1 ? FILE_HEADER : 0);

/** The rows of a leaf page of a table, or of an index page; BrokenRow instead of those that cannot be read. */
export function* rowsOn(
  file: PageFile,
  page: number,
  bytes: Buffer,
): Generator<LeafRow | BrokenRow> {
  const start = kindAt(page);
  const kind = bytes[start]!;
  const count = bytes.readUInt16BE(start + 3);
  for (let cell = 0; cell < count; cell++) {
    const pointer = start + (kind === KINDS.indexInner ? 12 : 8) + 2 * cell;
    if (pointer + 2 > file.usable) {
      yield new BrokenRow("the page has an impossible number of rows");
      return;
    }
    try {
      yield rowAt(file, bytes, bytes.readUInt16BE(pointer), kind);
    } catch (error) {
      if (!(error instanceof BrokenRow || error instanceof RangeError)) throw error;
      yield new BrokenRow("the row has an impossible structure");
    }
  }
}

function rowAt(file: PageFile, bytes: Buffer, at: number, kind: number): LeafRow {
  // Before a row on an inner page is the number of the page below.
  const cursor = new Cursor(bytes, kind === KINDS.indexInner ? at + 4 : at, file.usable);
  const size = cursor.varint();
  const rowid = isIndexPage(kind) ? 0 : cursor.varint();
  const local = localBytes(size, file.usable, isIndexPage(kind));
  const end = cursor.at + local;
  if (end + (local < size ? 4 : 0) > file.usable) throw new BrokenRow("beyond the page");
  const first = bytes.subarray(cursor.at, end);
  const header = new Cursor(first, 0, first.length);
  const headerEnd = header.varint();
  if (headerEnd > first.length) throw new BrokenRow("the columns are beyond the page");
  const types: number[] = [];
  let total = headerEnd;
  while (header.at < headerEnd) {
    const type = header.varint();
    types.push(type);
    total += sizeOf(type);
  }
  if (header.at !== headerEnd || total !== size) throw new BrokenRow("the columns do not fit");
  const values = () => {
    const payload = local < size ? wholePayload(file, first, bytes.readUInt32BE(end), size) : first;
    let from = headerEnd;
    return types.map((type) => {
      from += sizeOf(type);
      return decoded(type, payload.subarray(from - sizeOf(type), from));
    });
  };
  return { rowid, types, values };
}

/** Undefined if a page of the row is damaged. */
export function valuesIn(row: LeafRow): Value[] | undefined {
  try {
    return row.values();
  } catch (error) {
    if (error instanceof BrokenRow) return undefined;
    throw error;
  }
}

/** How much of a row is on its page. */
function localBytes(size: number, usable: number, isIndex: boolean): number {
  const most = isIndex ? Math.floor(((usable - 12) * 64) / 255) - 23 : usable - 35;
  if (size <= most) return size;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const local = least + ((size - least) % (usable - 4));
  return local <= most ? local : least;
}

function wholePayload(file: PageFile, first: Buffer, next: number, size: number): Buffer {
  // A damaged size must not reserve memory: a row is no longer than all pages.
  if (size > file.pages * file.usable) throw new BrokenRow("the row is longer than the file");
  const parts = [first];
  let missing = size - first.length;
  for (let page = next; missing > 0; ) {
    const bytes = page > 0 && page <= file.pages ? file.read(page) : undefined;
    if (!bytes) throw new BrokenRow("a page of the row is missing");
    const part = bytes.subarray(4, Math.min(file.usable, 4 + missing));
    parts.push(part);
    missing -= part.length;
    page = bytes.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

const SIZES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0];

const sizeOf = (type: number): number => SIZES[type] ?? Math.floor((type - 12) / 2);

function decoded(type: number, bytes: Buffer): Value {
  if (type === 0) return null;
  if (type === 8) return 0;
  if (type === 9) return 1;
  if (type === 7) return bytes.readDoubleBE();
  if (type === 6) return Number(bytes.readBigInt64BE());
  if (type < 6) return bytes.readIntBE(0, bytes.length);
  return isText(type) ? bytes.toString() : bytes;
}

class Cursor {
  constructor(
    private readonly bytes: Buffer,
    public at: number,
    private readonly end: number,
  ) {}

  /** Throws BrokenRow if it is not a safe integer; SQLite's own can be larger or negative. */
  varint(): number {
    let value = 0;
    for (let count = 1; count <= 8; count++) {
      if (this.at >= this.end) throw new BrokenRow("beyond the page");
      const byte = this.bytes[this.at++]!;
      value = value * 128 + (byte & 127);
      if (byte < 128) {
        if (!Number.isSafeInteger(value)) break;
        return value;
      }
    }
    throw new BrokenRow("the number is too large");
  }
}
