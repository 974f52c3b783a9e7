/**
 * What cuts bytes into documents, and the simpler of the two ways: at the ends of lines. Neither holds more
 * than the document at hand, nor more of it than allowed.
 */

import { isBlank, NEWLINE } from "./json-bytes.ts";

export interface DocumentText {
  /** The line of the source on which the document begins, from 1. */
  line: number;
  /**
   * Undefined when it was longer than allowed and therefore skipped. To be used, or copied, before the
   * next document is asked for: the source may use its memory again.
   */
  bytes: Buffer | undefined;
  /**
   * Stands for no document. "unclosed": the array of the source has no end. "endless": a document is
   * so much longer than allowed that the rest of the source is not read.
   */
  fault?: "unclosed" | "endless";
}

export interface Cutter {
  /** Of the document at hand: where it begins, and how much of it there was so far. */
  readonly line: number;
  readonly size: number;
  push(chunk: Buffer): DocumentText[];
  end(): DocumentText[];
}

/** Collects the bytes of the document at hand, and lets go of them when there are too many. */
export class Collector {
  #parts: Buffer[] = [];
  #length = 0;

  constructor(
    private readonly longest: number,
    readonly line: number,
  ) {}

  get size(): number {
    return this.#length;
  }

  add(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#length <= this.longest) this.#parts.push(bytes);
    else this.#parts = [];
  }

  get isTooLong(): boolean {
    return this.#length > this.longest;
  }

  /** Its bytes, if it is not too long, with some more. */
  with(end: Buffer): Buffer {
    return Buffer.concat([...this.#parts, end]);
  }

  finish(): DocumentText {
    if (this.isTooLong) return { line: this.line, bytes: undefined };
    const isWhole = this.#parts.length === 1;
    return { line: this.line, bytes: isWhole ? this.#parts[0]! : Buffer.concat(this.#parts) };
  }
}

export class LineCutter implements Cutter {
  #current: Collector;

  constructor(private readonly longest: number) {
    this.#current = new Collector(longest, 1);
  }

  get line(): number {
    return this.#current.line;
  }

  get size(): number {
    return this.#current.size;
  }

  push(chunk: Buffer): DocumentText[] {
    const found: DocumentText[] = [];
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end < 0) break;
      this.#current.add(chunk.subarray(start, end));
      this.#finish(found);
      start = end + 1;
    }
    // A copy: the source may use its chunk again.
    if (start < chunk.length) this.#current.add(Buffer.from(chunk.subarray(start)));
    return found;
  }

  end(): DocumentText[] {
    const found: DocumentText[] = [];
    this.#finish(found);
    return found;
  }

  #finish(found: DocumentText[]): void {
    const text = this.#current.finish();
    this.#current = new Collector(this.longest, text.line + 1);
    if (!text.bytes?.every(isBlank)) found.push(text);
  }
}
