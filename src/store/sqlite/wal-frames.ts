/** Finds the committed pages in a write-ahead log (WAL), as SQLite does after a crash. */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const HEADER = 32;
const FRAME_HEADER = 24;
/** The lowest bit says in which byte order the checksums are computed. */
const MAGIC = 0x377f0682;

export interface WalFrames {
  /** Stays open: the caller closes it. */
  file: number;
  /** Undefined if there is no commit that can be used. */
  pageSize: number | undefined;
  /** Where the latest content of each page is. */
  frames: Map<number, number>;
  /** The number of pages of the database after the last commit; undefined without one. */
  pages: number | undefined;
  /** Whether frames follow that belong to this WAL, but not to a commit that can be used. */
  isCut: boolean;
}

/** Whether a WAL has something that SQLite will ignore. Must not be called while a connection to the file is open. */
export function isWalCut(path: string): boolean {
  const wal = readWal(path);
  if (wal) closeSync(wal.file);
  return wal?.isCut ?? false;
}

/** Undefined if there is no WAL, or nothing in it. */
export function readWal(path: string): WalFrames | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const { size } = fstatSync(file);
  const header = Buffer.alloc(HEADER);
  const isThere = size > HEADER && readSync(file, header, 0, HEADER, 0) === HEADER;
  if (!isThere || (header.readUInt32BE(0) & ~1) !== MAGIC) {
    closeSync(file);
    return undefined;
  }
  const pageSize = header.readUInt32BE(8);
  const isBigEndian = (header.readUInt32BE(0) & 1) === 1;
  const sums: [number, number] = [0, 0];
  addTo(sums, header.subarray(0, 24), isBigEndian);
  const found: WalFrames = {
    file,
    pageSize: undefined,
    frames: new Map(),
    pages: undefined,
    isCut: true,
  };
  if (!matches(sums, header, 24)) return found;

  const salt = header.subarray(16, 24);
  const frame = Buffer.alloc(FRAME_HEADER + pageSize);
  let pending: [page: number, at: number][] = [];
  for (let at = HEADER; at + frame.length <= size; at += frame.length) {
    readSync(file, frame, 0, frame.length, at);
    // What follows is left from before the WAL was started over.
    if (!frame.subarray(8, 16).equals(salt)) break;
    addTo(sums, frame.subarray(0, 8), isBigEndian);
    addTo(sums, frame.subarray(FRAME_HEADER), isBigEndian);
    if (!matches(sums, frame, 16)) return found;
    pending.push([frame.readUInt32BE(0), at + FRAME_HEADER]);
    const pagesAfter = frame.readUInt32BE(4);
    if (pagesAfter === 0) continue;
    for (const [page, position] of pending) found.frames.set(page, position);
    found.pages = pagesAfter;
    found.pageSize = pageSize;
    pending = [];
  }
  return { ...found, isCut: false };
}

const matches = ([one, other]: readonly [number, number], bytes: Buffer, at: number) =>
  bytes.readUInt32BE(at) === one && bytes.readUInt32BE(at + 4) === other;

function addTo(sums: [number, number], bytes: Buffer, isBigEndian: boolean): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let [one, other] = sums;
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    one = (one + view.getUint32(at, !isBigEndian) + other) >>> 0;
    other = (other + view.getUint32(at + 4, !isBigEndian) + one) >>> 0;
  }
  sums[0] = one;
  sums[1] = other;
}
