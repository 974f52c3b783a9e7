/** Finds a page of matches: scans the shortest index and checks the other filters. */

import {
  type Direction,
  type KeyRange,
  keyAfter,
  neighboursOf,
  opposite,
  pageRangeOf,
} from "../page-range.ts";
import type { Page, Selection } from "../store.ts";
import { EVERY_MATCH, type IndexScan, type ScanStatements, scanLength } from "./index-scan.ts";

/** Scans are compared up to this length. Beyond it, the first one is used. */
const COMPARED_ROWS = 64;

/** The internal numbers of a page's matches, and whether there are more on either side. */
export function findPage(
  statements: ScanStatements,
  selection: Selection,
  players: number[][],
  teams: number[][],
): { numbers: number[]; more: Page["more"] } {
  const scans = scansOf(selection, players, teams);
  const page = pageRangeOf(selection);
  const { direction, ahead, behind, skip, isReversed } = page;
  const { limit } = selection;
  const found = scan(statements, scans, ahead, direction, skip, limit + 1);
  const numbers = found.slice(0, limit);
  const hasBehind =
    behind !== undefined && scan(statements, scans, behind, opposite(direction), 0, 1).length > 0;
  const more = neighboursOf(page, {
    matches: numbers.length,
    hasMore: found.length > limit,
    hasBehind,
  });
  return { numbers: isReversed ? numbers.reverse() : numbers, more };
}

/** Usually most selective first. */
function scansOf(
  { patchVersions, gameModes }: Selection,
  players: number[][],
  teams: number[][],
): IndexScan[] {
  const scans: IndexScan[] = [
    ...players.map((keys): IndexScan => ({ index: "player", keys })),
    ...teams.map((keys): IndexScan => ({ index: "team", keys })),
  ];
  if (patchVersions) scans.push({ index: "patch", keys: patchVersions });
  if (gameModes) scans.push({ index: "mode", keys: gameModes });
  return scans.length > 0 ? scans : [EVERY_MATCH];
}

/** The matches of a range from one end, after `skip` of them, at most `take`. */
function scan(
  scanStatements: ScanStatements,
  scans: readonly IndexScan[],
  range: KeyRange,
  direction: Direction,
  skip: number,
  take: number,
): number[] {
  if (scans.some(({ keys }) => keys.length === 0)) return [];
  const { statements } = scanStatements;
  const shortest = shortestScan(scanStatements, scans, range);
  const others = scans.filter((other) => other !== shortest);
  const otherKeys = others.map(({ keys }) => JSON.stringify(keys));
  if (shortest.keys.length === 1) {
    const statement = scanStatements.get(shortest, others, direction, "num");
    return statement.read(shortest.keys[0]!, otherKeys, range, take, skip).map(([num]) => num!);
  }
  const statement = scanStatements.get(shortest, others, direction, "created_at, num");
  const idOf = (num: number) =>
    statements.get("SELECT id FROM matches WHERE num = ?").values(num)[0]![0] as string;
  // Usually a page contains a few matches of each key.
  const chunk = Math.ceil((skip + take) / shortest.keys.length) + 2;
  const streams = shortest.keys.map(
    (key) =>
      new Stream(
        (part, most) => statement.read(key, otherKeys, part, most, 0),
        idOf,
        range,
        direction,
        chunk,
      ),
  );
  return merged(streams, skip, take);
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

/** The scan of one key, read in growing chunks. Ids are looked up only to break ties in time. */
class Stream {
  #chunk: number[][] = [];
  #at = 0;
  #isExhausted = false;

  constructor(
    private readonly read: (range: KeyRange, take: number) => number[][],
    private readonly idOf: (num: number) => string,
    private range: KeyRange,
    private readonly direction: Direction,
    private size: number,
  ) {
    this.#fill();
  }

  get isOver(): boolean {
    return this.#at >= this.#chunk.length;
  }

  get createdAt(): number {
    return this.#chunk[this.#at]![0]!;
  }

  get num(): number {
    return this.#chunk[this.#at]![1]!;
  }

  /** Whether this stream's next match comes before that of the other. */
  comesBefore(other: Stream): boolean {
    const isUp = this.direction === "up";
    if (this.createdAt !== other.createdAt) return this.createdAt < other.createdAt === isUp;
    if (this.num === other.num) return false;
    // Ids are ASCII, so code units compare like bytes.
    return this.idOf(this.num) < this.idOf(other.num) === isUp;
  }

  advance(): void {
    this.#at += 1;
    if (!this.isOver || this.#isExhausted) return;
    const [createdAt, num] = this.#chunk.at(-1) as [number, number];
    const last = { createdAt, id: this.idOf(num) };
    const { from, to } = this.range;
    this.range = this.direction === "up" ? { from: keyAfter(last), to } : { from, to: last };
    this.size = Math.min(this.size * 4, MAX_CHUNK);
    this.#fill();
  }

  #fill(): void {
    this.#chunk = this.read(this.range, this.size);
    this.#isExhausted = this.#chunk.length < this.size;
    this.#at = 0;
  }
}

/** Merges the streams in order, without duplicates: two players of a match both list it. */
function merged(streams: readonly Stream[], skip: number, take: number): number[] {
  const open = streams.filter((stream) => !stream.isOver);
  const found: number[] = [];
  let left = skip;
  let last: number | undefined;
  while (open.length > 0 && found.length < take) {
    let next = open[0]!;
    for (const stream of open) if (stream.comesBefore(next)) next = stream;
    const { num } = next;
    next.advance();
    if (next.isOver) open.splice(open.indexOf(next), 1);
    if (num === last) continue;
    last = num;
    if (left > 0) left -= 1;
    else found.push(num);
  }
  return found;
}
