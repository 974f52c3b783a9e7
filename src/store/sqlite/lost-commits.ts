/**
 * Finds commits that a damaged write-ahead log (WAL) has lost. After a crash, SQLite reads a WAL up to the first frame that
 * is not as it was written, says nothing, and overwrites what follows.
 */

import { Database } from "bun:sqlite";
import { closeSync, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { walRow } from "../core/findings.ts";
import { put } from "../steps.ts";
import { StoreError } from "../store.ts";
import { FINDINGS, type FindingRow } from "../tables.ts";
import { runOn } from "./engine.ts";
import { openForWriting, PAGE_BYTES } from "./open.ts";

/** For a writer. */
const PATIENCE_MS = 60_000;

const HEADER = 32;
const FRAME_HEADER = 24;
/** Of a machine on which words begin with their lowest byte, as all on which Bun runs. */
const MAGIC = 0x377f0682;

/**
 * Stores in a shard how many commits its WAL has lost, and returns it. Must be called before the file is opened for
 * writing. Throws StoreError if that cannot be stored.
 */
export function recordLostCommits(path: string, shard: string, now: number): number {
  const wal = `${realpathSync(path)}-wal`;
  const lost = lostCommits(wal);
  if (lost === 0) return 0;
  try {
    return record(path, wal, shard, now);
  } catch (error) {
    const message = `its WAL is damaged, and ${lost} commits that follow the damage are lost; ${(error as Error).message}`;
    throw new StoreError(message, { cause: error });
  }
}

function record(path: string, wal: string, shard: string, now: number): number {
  const lock = new Database(path, { readwrite: true, create: false });
  try {
    lock.run(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    // While another process writes, a frame may not have its checksum yet.
    const commits = lock.transaction(() => lostCommits(wal)).immediate();
    if (commits > 0) store(path, shard, walRow(now, commits));
    return commits;
  } finally {
    lock.close();
  }
}

/** Without the first commits there are no tables yet: they are created. */
function store(path: string, shard: string, row: FindingRow): void {
  const database = openForWriting(path, shard);
  try {
    runOn(database, put(FINDINGS, [row]));
    // Or the rest of what was lost would be found again. Others who read are not waited for.
    database.run("PRAGMA busy_timeout = 0");
    database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
}

/**
 * The commits after the first bad frame. Each frame has a checksum that continues the one of the frame before it, as that
 * one has it: so frames after a bad one can be told from others. A transaction that was not committed has no commit at
 * its end; one that was interrupted by a power failure may look like a damaged one, and is counted.
 */
export function lostCommits(wal: string): number {
  let file: number;
  try {
    file = openSync(wal, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
  try {
    return countLost(file);
  } finally {
    closeSync(file);
  }
}

function countLost(file: number): number {
  const { size } = fstatSync(file);
  const header = Buffer.alloc(HEADER);
  if (readSync(file, header, 0, HEADER, 0) < HEADER) return 0;
  let isBroken =
    header.readUInt32BE(0) !== MAGIC ||
    !isSum(header.subarray(24), sumOf(Buffer.alloc(8), header.subarray(0, 24)));
  const pageBytes = isBroken ? PAGE_BYTES : header.readUInt32BE(8);
  const frame = Buffer.alloc(FRAME_HEADER + pageBytes);
  // Frames with others are left from before the WAL was started over.
  let salts = isBroken ? undefined : Buffer.from(header.subarray(16, 24));
  let before = header.subarray(24);
  let lost = 0;
  for (let at = HEADER; at + frame.length <= size; at += frame.length) {
    readSync(file, frame, 0, frame.length, at);
    salts ??= Buffer.from(frame.subarray(8, 16));
    const isWhole =
      frame.subarray(8, 16).equals(salts) &&
      isSum(
        frame.subarray(16, 24),
        sumOf(before, frame.subarray(0, 8), frame.subarray(FRAME_HEADER)),
      );
    const isCommit = frame.readUInt32BE(4) > 0;
    if (!isWhole) isBroken = true;
    else if (isBroken && isCommit) lost += 1;
    before = Buffer.from(frame.subarray(16, 24));
  }
  return lost;
}

type Sum = readonly [number, number];

const isSum = (bytes: Buffer, [one, other]: Sum): boolean =>
  bytes.readInt32BE(0) === one && bytes.readInt32BE(4) === other;

/** Continues the checksum `before`. */
function sumOf(before: Buffer, ...parts: Buffer[]): Sum {
  let [one, other] = [before.readInt32BE(0), before.readInt32BE(4)];
  for (const part of parts) {
    const words = new Int32Array(part.buffer, part.byteOffset, part.length / 4);
    for (let at = 0; at < words.length; at += 2) {
      one = (one + words[at]! + other) | 0;
      other = (other + words[at + 1]! + one) | 0;
    }
  }
  return [one, other];
}
