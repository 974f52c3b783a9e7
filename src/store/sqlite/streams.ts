/** In charge of several ordered walks at once: they are read as far as a page needs, and merged. */

import type { Direction, Position, Range } from "../places.ts";

const LONGEST_CHUNK = 1024;

/** One walk, read in growing chunks. Ids are looked up only where times do not decide. */
export class Stream {
  #chunk: number[][] = [];
  #at = 0;
  #isExhausted = false;

  constructor(
    private readonly read: (range: Range, take: number) => number[][],
    private readonly idOf: (num: number) => string,
    private range: Range,
    private readonly direction: Direction,
    private size: number,
  ) {
    this.#fill();
  }

  get isOver(): boolean {
    return this.#at >= this.#chunk.length;
  }

  /** Of the next match. */
  get createdAt(): number {
    return this.#chunk[this.#at]![0]!;
  }

  get num(): number {
    return this.#chunk[this.#at]![1]!;
  }

  /** Whether the next match comes before that of another walk. */
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
    const id = this.idOf(num);
    const { from, to } = this.range;
    const after: Position = [createdAt, `${id}!`];
    this.range = this.direction === "up" ? { from: after, to } : { from, to: [createdAt, id] };
    this.size = Math.min(this.size * 4, LONGEST_CHUNK);
    this.#fill();
  }

  #fill(): void {
    this.#chunk = this.read(this.range, this.size);
    this.#isExhausted = this.#chunk.length < this.size;
    this.#at = 0;
  }
}

/** The walks as one, in order, each match once: two players of one match both lead to it. */
export function merged(streams: readonly Stream[], skip: number, take: number): number[] {
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
