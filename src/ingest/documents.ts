/**
 * In charge of cutting a stream of bytes into JSON texts, one document each, without ever holding
 * more than one: lines of NDJSON, the elements of one array, or a document over many lines.
 */

import { isAbysmal } from "./nesting.ts";
import type { Bytes } from "./source.ts";

export interface DocumentText {
  /** The line of the source on which the document begins, from 1. */
  line: number;
  /** Undefined when it was longer than allowed and therefore skipped. */
  bytes: Buffer | undefined;
  /**
   * Stands for no document. "unclosed": the array of the source has no end. "endless": a document is
   * so much longer than allowed that the rest of the source is not read.
   */
  fault?: "unclosed" | "endless";
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** How many lines are looked at to tell NDJSON from a document over many lines. */
const FIRST_LINES = 16;

const isBlank = (byte: number) =>
  byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;

/** A document this many times longer than allowed, and no shorter than that, ends its source. */
const ENDLESS_RATIO = 16;
const ENDLESS_LEAST = 256 * 1024 * 1024;

interface Cutter {
  /** Of the document at hand: where it begins, and how much of it there was so far. */
  readonly line: number;
  readonly size: number;
  push(chunk: Buffer): DocumentText[];
  end(): DocumentText[];
}

export async function* documents(source: Bytes, longest: number): AsyncGenerator<DocumentText> {
  const most = Math.max(ENDLESS_RATIO * longest, ENDLESS_LEAST);
  const start = new Beginning(longest);
  let cutter: Cutter | undefined;
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (cutter) yield* cutter.push(bytes);
    else {
      cutter = start.add(bytes);
      if (cutter) yield* cutter.push(start.bytes());
    }
    if (cutter && cutter.size > most) {
      yield { line: cutter.line, bytes: undefined, fault: "endless" };
      return;
    }
  }
  if (!cutter) {
    cutter = start.choose(true)!;
    yield* cutter.push(start.bytes());
  }
  yield* cutter.end();
}

/** The first bytes of a source, kept until they show how it is to be cut. */
class Beginning {
  #parts: Buffer[] = [];
  #length = 0;
  #enough = 0;

  constructor(private readonly longest: number) {}

  /** They are looked at again when a line has ended or when they have doubled, and no more often. */
  add(bytes: Buffer): Cutter | undefined {
    this.#parts.push(Buffer.from(bytes));
    this.#length += bytes.length;
    if (this.#length < this.#enough && !bytes.includes(NEWLINE)) return undefined;
    this.#enough = 2 * this.#length;
    return this.choose(false);
  }

  choose(isAll: boolean): Cutter | undefined {
    const whole = Buffer.concat(this.#parts);
    this.#parts = [whole];
    return chooseCutter(whole, this.longest, isAll);
  }

  bytes(): Buffer {
    return withoutMark(Buffer.concat(this.#parts));
  }
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
}

/** Looks at the first lines. Undefined while more of them must be seen. */
function chooseCutter(start: Buffer, longest: number, isAll: boolean): Cutter | undefined {
  if (start.length < BYTE_ORDER_MARK.length && !isAll) return undefined;
  const text = withoutMark(start);
  let at = 0;
  while (at < text.length && isBlank(text[at]!)) at++;
  const isLong = text.length > longest;
  if (at === text.length) return isAll || isLong ? new LineCutter(longest) : undefined;
  if (text[at] === OPEN_ARRAY) return new ValueCutter(longest);
  if (text[at] !== OPEN_OBJECT) return new LineCutter(longest);

  // NDJSON has a whole object on a line. Several lines are asked, so that damaged ones at the
  // beginning do not make a long file look like one unfinished document.
  for (let line = 0; line < FIRST_LINES; line++) {
    let end = text.indexOf(NEWLINE, at);
    if (end < 0 && !isAll) {
      // Too long for a record, and no end of the line yet: what can be taken begins on another line.
      return isLong ? new LineCutter(longest) : undefined;
    }
    if (end < 0) end = text.length;
    const asked = text.subarray(at, end);
    if (isWholeObject(asked)) return new LineCutter(longest);
    if (isOfMany(asked, line)) break;
    at = end + 1;
  }
  return new ValueCutter(longest);
}

/** Whether a line belongs to a document over many lines, rather than being damaged. */
function isOfMany(line: Buffer, number: number): boolean {
  const last = line.findLast((byte) => !isBlank(byte));
  if (last === undefined) return false;
  return line[0] !== OPEN_OBJECT || last === OPEN_ARRAY || (number > 0 && last === COMMA);
}

function isWholeObject(line: Buffer): boolean {
  if (line[0] !== OPEN_OBJECT || line.findLast((byte) => !isBlank(byte)) !== CLOSE_OBJECT) {
    return false;
  }
  if (isAbysmal(line)) return false;
  try {
    JSON.parse(line.toString());
    return true;
  } catch {
    return false;
  }
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
    const bytes = this.#length <= this.longest ? Buffer.concat(this.#parts) : undefined;
    return { line: this.line, bytes };
  }
}

class LineCutter implements Cutter {
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
      found.push(...this.#finish());
      start = end + 1;
    }
    // A copy: the source may use its chunk again.
    if (start < chunk.length) this.#current.add(Buffer.from(chunk.subarray(start)));
    return found;
  }

  end(): DocumentText[] {
    return this.#finish();
  }

  #finish(): DocumentText[] {
    const text = this.#current.finish();
    this.#current = new Collector(this.longest, text.line + 1);
    return text.bytes?.every(isBlank) ? [] : [text];
  }
}

/** Follows the brackets. The brackets of an outermost array are passed over. */
class ValueCutter implements Cutter {
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
      this.#current!.add(Buffer.from(chunk.subarray(start, end)));
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
