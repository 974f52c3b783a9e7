/** Finds a page of matches: scans the shortest index and checks the other filters. */

import { type IndexScan, scansOf } from "../match-indexes.ts";
import {
  type Direction,
  type KeyRange,
  neighboursOf,
  opposite,
  pageRangeOf,
  restOf,
} from "../page-range.ts";
import type { Page, Selection } from "../store.ts";
import { type IndexEntry, type ScanStatements, scanLength } from "./index-scan.ts";

/** Scans are compared up to this length. Beyond it, the first one is used. */
const COMPARED_ROWS = 64;

/** The matches of a page as the index lists them, and whether there are more on either side. */
export function findPage(
  statements: ScanStatements,
  selection: Selection,
  players: number[][],
  teams: number[][],
): { entries: IndexEntry[]; more: Page["more"] } {
  const scans = scansOf(selection, players, teams);
  const page = pageRangeOf(selection);
  const { direction, ahead, behind, skip, isReversed } = page;
  const { limit } = selection;
  const { entries, hasMore } = scan(statements, scans, ahead, direction, skip, limit);
  const hasBehind =
    behind !== undefined && scan(statements, scans, behind, opposite(direction), 0, 0).hasMore;
  const more = neighboursOf(page, { matches: entries.length, hasMore, hasBehind });
  return { entries: isReversed ? entries.reverse() : entries, more };
}

/** The matches of a range from one end, after `skip` of them, at most `take`, and whether there are more. */
function scan(
  scanStatements: ScanStatements,
  scans: readonly IndexScan[],
  range: KeyRange,
  direction: Direction,
  skip: number,
  take: number,
): { entries: IndexEntry[]; hasMore: boolean } {
  if (scans.some(({ keys }) => keys.length === 0)) return { entries: [], hasMore: false };
  const shortest = shortestScan(scanStatements, scans, range);
  const others = scans.filter((other) => other !== shortest);
  const otherKeys = others.map(({ keys }) => JSON.stringify(keys));
  const statement = scanStatements.get(shortest, others, direction);
  const [only, ...more] = shortest.keys;
  const found =
    more.length === 0
      ? statement.entries(only!, otherKeys, range, take + 1, skip)
      : merged(
          shortest.keys.map(
            (key) =>
              new Stream(
                (part, most) => statement.entries(key, otherKeys, part, most),
                range,
                direction,
                // Usually a page contains a few matches of each key.
                Math.ceil((skip + take + 1) / shortest.keys.length) + 2,
              ),
          ),
          skip,
          take + 1,
        );
  return { entries: found.slice(0, take), hasMore: found.length > take };
}

function shortestScan(
  { statements }: ScanStatements,
  scans: readonly IndexScan[],
  range: KeyRange,
): IndexScan {
  let best = scans[0]!;
  if (scans.length === 1) return best;
  let shortest = COMPARED_ROWS;
  for (const one of scans) {
    const length = scanLength(statements, one, range, shortest);
    if (length < shortest) [best, shortest] = [one, length];
  }
  return best;
}

const MAX_CHUNK = 1024;

/** The scan of one key, read in growing chunks. */
class Stream {
  #chunk: IndexEntry[] = [];
  #at = 0;
  #isExhausted = false;

  constructor(
    private readonly read: (range: KeyRange, take: number) => IndexEntry[],
    private range: KeyRange,
    private readonly direction: Direction,
    private size: number,
  ) {
    this.#fill();
  }

  get isOver(): boolean {
    return this.#at >= this.#chunk.length;
  }

  get next(): IndexEntry {
    return this.#chunk[this.#at]!;
  }

  /** Whether this stream's next match comes before that of the other. */
  comesBefore(other: Stream): boolean {
    const order = compareKeys(this.next, other.next);
    return this.direction === "up" ? order < 0 : order > 0;
  }

  advance(): void {
    this.#at += 1;
    if (!this.isOver || this.#isExhausted) return;
    const [createdAt, id] = this.#chunk.at(-1)!;
    this.range = restOf(this.range, { createdAt, id }, this.direction);
    this.size = Math.min(this.size * 4, MAX_CHUNK);
    this.#fill();
  }

  #fill(): void {
    this.#chunk = this.read(this.range, this.size);
    this.#isExhausted = this.#chunk.length < this.size;
    this.#at = 0;
  }
}

/** Ids are ASCII, so code units compare like bytes. */
export function compareKeys(one: IndexEntry, other: IndexEntry): number {
  if (one[0] !== other[0]) return one[0] - other[0];
  if (one[1] === other[1]) return 0;
  return one[1] < other[1] ? -1 : 1;
}

/** Merges the streams in order, without duplicates: two players of a match both list it. */
function merged(streams: readonly Stream[], skip: number, take: number): IndexEntry[] {
  const open = streams.filter((stream) => !stream.isOver);
  const found: IndexEntry[] = [];
  let left = skip;
  let last: string | undefined;
  while (open.length > 0 && found.length < take) {
    let first = open[0]!;
    for (const stream of open) if (stream.comesBefore(first)) first = stream;
    const entry = first.next;
    first.advance();
    if (first.isOver) open.splice(open.indexOf(first), 1);
    if (entry[1] === last) continue;
    last = entry[1];
    if (left > 0) left -= 1;
    else found.push(entry);
  }
  return found;
}
