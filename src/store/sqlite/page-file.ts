/**
 * Reads the pages of an SQLite file without SQLite, which refuses to go past a damaged one. Includes what is committed
 * in the WAL. The format: https://www.sqlite.org/fileformat2.html
 */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { PAGE_BYTES } from "./open.ts";
import { readWal } from "./wal-frames.ts";

const MAGIC = "SQLite format 3\0";
/** Of the first page. */
export const FILE_HEADER = 100;
const MIN_PAGE = 512;
const MAX_PAGE = 65_536;
/** The page that contains this byte is never used. */
const PENDING_BYTE = 0x4000_0000;

/** What the map of an incremental vacuum says about a page. */
export interface MappedPage {
  type: number;
  parent: number;
}
const ENTRY_BYTES = 5;
const ROOT = 1;
const FREE = 2;
const BRANCH = 5;

export class PageFile {
  readonly pageSize: number;
  /** The bytes of a page that SQLite uses. */
  readonly usable: number;
  /** The pages that should be there. */
  readonly pages: number;
  readonly #file: number;
  readonly #wal: number | undefined;
  readonly #frames: ReadonlyMap<number, number>;
  /** The pages of the free list, one bit each; undefined if the list is damaged. */
  readonly #free: Uint8Array | undefined;
  readonly #isMapped: boolean;
  #map: { page: number; bytes: Buffer | undefined } = { page: 0, bytes: undefined };

  /**
   * The files stay open until close(), which must come after SQLite has closed them: it would lose its locks. Throws if
   * the file cannot be opened.
   */
  constructor(path: string) {
    this.#file = openSync(path, "r");
    const wal = readWal(`${path}-wal`);
    this.#wal = wal?.file;
    this.#frames = wal?.frames ?? new Map();
    const start = this.#bytesAt(this.#file, 0, FILE_HEADER);
    const written = pageSizeIn(start);
    this.pageSize = wal?.pageSize ?? written ?? PAGE_BYTES;
    const header = this.read(1)?.subarray(0, FILE_HEADER) ?? start;
    const isWhole = pageSizeIn(header) === this.pageSize;
    this.usable = this.pageSize - (isWhole ? header[20]! : 0);
    const inFile = Math.floor(fstatSync(this.#file).size / this.pageSize);
    const stated = wal?.pages ?? (isWhole ? header.readUInt32BE(28) : 0);
    // A damaged number must not be taken for a file of terabytes.
    this.pages = Math.max(inFile, stated <= 2 * inFile + this.#frames.size ? stated : 0);
    this.#isMapped = isWhole ? header.readUInt32BE(52) > 0 : true;
    this.#free = isWhole
      ? this.#freeList(header.readUInt32BE(32), header.readUInt32BE(36))
      : undefined;
  }

  /** Undefined if the page is missing. */
  read(page: number): Buffer | undefined {
    const frame = this.#frames.get(page);
    const bytes =
      frame === undefined
        ? this.#bytesAt(this.#file, (page - 1) * this.pageSize, this.pageSize)
        : this.#bytesAt(this.#wal!, frame, this.pageSize);
    return bytes.length === this.pageSize ? bytes : undefined;
  }

  /** Whether the content of a page is obsolete. In doubt, it is not. */
  isFree(page: number): boolean {
    const isListed = this.#free && (this.#free[page >> 3]! & (1 << (page & 7))) !== 0;
    if (!this.#isMapped) return isListed === true;
    return isListed !== false && this.mapped(page)?.type === FREE;
  }

  /** Whether a page belongs to a table or an index; undefined if this is unknown. */
  isBranch(page: number): boolean | undefined {
    const mapped = this.mapped(page);
    return mapped && (mapped.type === ROOT || mapped.type === BRANCH);
  }

  /** Whether a page has no content of its own. */
  isUnused(page: number): boolean {
    return this.#mapOf(page) === page || page === this.#pendingPage;
  }

  /** The root of the table or index that a page belongs to; undefined if this is unknown. */
  rootOf(page: number): number | undefined {
    let at = page;
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      const mapped = this.mapped(at);
      if (mapped?.type === ROOT) return at;
      if (mapped?.type !== BRANCH) return undefined;
      at = mapped.parent;
    }
    return undefined;
  }

  /** Undefined if there is no map, or if it is damaged. */
  mapped(page: number): MappedPage | undefined {
    if (!this.#isMapped || page < 3 || page > this.pages) return undefined;
    const mapPage = this.#mapOf(page);
    if (this.#map.page !== mapPage) this.#map = { page: mapPage, bytes: this.read(mapPage) };
    const at = ENTRY_BYTES * (page - mapPage - 1);
    const { bytes } = this.#map;
    if (!bytes || at < 0 || at + ENTRY_BYTES > this.usable) return undefined;
    const type = bytes[at]!;
    return type >= ROOT && type <= BRANCH
      ? { type, parent: bytes.readUInt32BE(at + 1) }
      : undefined;
  }

  close(): void {
    closeSync(this.#file);
    if (this.#wal !== undefined) closeSync(this.#wal);
  }

  get #pendingPage(): number {
    return Math.floor(PENDING_BYTE / this.pageSize) + 1;
  }

  /** The page of the map that has the entry of a page. */
  #mapOf(page: number): number {
    if (!this.#isMapped || page < 2) return 0;
    const each = Math.floor(this.usable / ENTRY_BYTES) + 1;
    const mapPage = Math.floor((page - 2) / each) * each + 2;
    return mapPage === this.#pendingPage ? mapPage + 1 : mapPage;
  }

  #freeList(first: number, count: number): Uint8Array | undefined {
    const free = new Uint8Array((this.pages >> 3) + 1);
    let found = 0;
    const add = (page: number) => {
      free[page >> 3]! |= 1 << (page & 7);
      found += 1;
    };
    for (let trunk = first; trunk !== 0 && found <= count; ) {
      const bytes = trunk <= this.pages ? this.read(trunk) : undefined;
      if (!bytes) return undefined;
      add(trunk);
      const leaves = bytes.readUInt32BE(4);
      if (leaves > this.usable / 4 - 2) return undefined;
      for (let leaf = 0; leaf < leaves; leaf++) {
        const page = bytes.readUInt32BE(8 + 4 * leaf);
        if (page > this.pages) return undefined;
        add(page);
      }
      trunk = bytes.readUInt32BE(0);
    }
    return found === count ? free : undefined;
  }

  #bytesAt(file: number, position: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    try {
      return bytes.subarray(0, readSync(file, bytes, 0, length, position));
    } catch {
      // A bad sector. What is on other pages can still be read.
      return bytes.subarray(0, 0);
    }
  }
}

/** No tree of SQLite is deeper. */
const MAX_DEPTH = 20;

function pageSizeIn(header: Buffer): number | undefined {
  if (header.length < FILE_HEADER || header.toString("latin1", 0, 16) !== MAGIC) return undefined;
  const stored = header.readUInt16BE(16);
  const size = stored === 1 ? MAX_PAGE : stored;
  return size >= MIN_PAGE && (size & (size - 1)) === 0 ? size : undefined;
}
