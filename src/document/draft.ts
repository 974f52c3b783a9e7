/** Collects the content of a document: stored pieces, and new text between them, which is compressed. */

import { literalPiece, type Piece, pieceOf } from "./fragment.ts";

/** Shorter texts are not worth compressing. */
const MIN_COMPRESSED = 64;

/** Shorter ranges are copied faster by a loop than by a call. */
const MAX_LOOP = 48;

/** New text is written here, one document at a time. */
let scratch = Buffer.allocUnsafeSlow(256 * 1024);
const MAX_SCRATCH = 4 << 20;

export class Draft {
  readonly #pieces: Piece[] = [];
  #length = 0;
  /** A range that is still to be copied: ranges next to each other are copied at once. */
  #source: Buffer = scratch;
  #start = 0;
  #end = 0;

  add(bytes: Buffer): void {
    this.range(bytes, 0, bytes.length);
  }

  range(source: Buffer, start: number, end: number): void {
    if (source === this.#source && start === this.#end) {
      this.#end = end;
      return;
    }
    this.#copyRange();
    this.#source = source;
    this.#start = start;
    this.#end = end;
  }

  /** The text that `write` adds. */
  capture(write: () => void): Buffer {
    this.#copyRange();
    const start = this.#length;
    write();
    this.#copyRange();
    return Buffer.from(scratch.subarray(start, this.#length));
  }

  stored(piece: Piece): void {
    this.#endPiece();
    this.#pieces.push(piece);
  }

  finish(): Piece[] {
    this.#endPiece();
    if (scratch.length > MAX_SCRATCH) scratch = Buffer.allocUnsafeSlow(MAX_SCRATCH);
    return this.#pieces;
  }

  #copyRange(): void {
    const length = this.#length + this.#end - this.#start;
    if (length > scratch.length) {
      const larger = Buffer.allocUnsafeSlow(2 * length);
      scratch.copy(larger, 0, 0, this.#length);
      scratch = larger;
    }
    const source = this.#source;
    let at = this.#start;
    if (this.#end - at > MAX_LOOP) {
      source.copy(scratch, this.#length, at, this.#end);
    } else {
      for (let to = this.#length; to < length; ) scratch[to++] = source[at++]!;
    }
    this.#length = length;
    this.#start = this.#end;
  }

  #endPiece(): void {
    this.#copyRange();
    if (this.#length === 0) return;
    const text = scratch.subarray(0, this.#length);
    this.#pieces.push(this.#length < MIN_COMPRESSED ? literalPiece(text) : pieceOf(text));
    this.#length = 0;
  }
}
