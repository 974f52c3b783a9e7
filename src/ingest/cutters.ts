/**
 * In charge of the two ways to cut bytes into documents: at the ends of lines, or by following the
 * brackets. Neither holds more than the document at hand, nor more of it than allowed.
 */

import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  isBlank,
  NEWLINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from "./bytes.ts";

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
class Collector {
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

  finish(): DocumentText {
    if (this.#length > this.longest) return { line: this.line, bytes: undefined };
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

/** Follows the brackets. The brackets of an outermost array are passed over. */
export class ValueCutter implements Cutter {
  #line = 1;
  #depth = 0;
  #inArray = false;
  #inString = false;
  #escaped = false;
  #current: Collector | undefined;

  constructor(private readonly longest: number) {}

  get line(): number {
    return this.#current?.line ?? this.#line;
  }

  get size(): number {
    return this.#current?.size ?? 0;
  }

  push(chunk: Buffer): DocumentText[] {
    const found: DocumentText[] = [];
    let start = 0;
    const finish = (end: number) => {
      this.#current!.add(chunk.subarray(start, end));
      found.push(this.#current!.finish());
      this.#current = undefined;
    };
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (byte === NEWLINE) this.#line += 1;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
        continue;
      }
      if (this.#current === undefined) {
        if (isBlank(byte) || byte === COMMA) continue;
        if (byte === OPEN_ARRAY && !this.#inArray) {
          this.#inArray = true;
          continue;
        }
        if (byte === CLOSE_ARRAY && this.#inArray) {
          this.#inArray = false;
          continue;
        }
        this.#current = new Collector(this.longest, this.#line);
        start = at;
      } else if (this.#depth === 0 && (isBlank(byte) || byte === COMMA || byte === CLOSE_ARRAY)) {
        finish(at);
        if (byte === CLOSE_ARRAY) this.#inArray = false;
        continue;
      }
      if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        this.#depth = Math.max(0, this.#depth - 1);
        if (this.#depth === 0) finish(at + 1);
      }
    }
    this.#current?.add(Buffer.from(chunk.subarray(start)));
    return found;
  }

  end(): DocumentText[] {
    if (this.#current) return [this.#current.finish()];
    return this.#inArray ? [{ line: this.#line, bytes: undefined, fault: "unclosed" }] : [];
  }
}
