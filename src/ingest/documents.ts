/**
 * In charge of cutting a stream of bytes into JSON texts, one document each, without ever holding
 * more than one: lines of NDJSON, the elements of one array, or a document over many lines.
 */

import type { Bytes } from "./source.ts";

export interface DocumentText {
  /** The line of the source on which the document begins, from 1. */
  line: number;
  /** Undefined when it was longer than allowed and therefore skipped. */
  bytes: Buffer | undefined;
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

const isBlank = (byte: number) =>
  byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;

interface Cutter {
  push(chunk: Buffer): DocumentText[];
  end(): DocumentText[];
}

export async function* documents(source: Bytes, longest: number): AsyncGenerator<DocumentText> {
  let start = Buffer.alloc(0);
  let cutter: Cutter | undefined;
  for await (const chunk of source) {
    if (cutter) {
      yield* cutter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      continue;
    }
    start = Buffer.concat([start, chunk]);
    cutter = chooseCutter(start, longest, false);
    if (cutter) yield* cutter.push(withoutMark(start));
  }
  if (!cutter) {
    cutter = chooseCutter(start, longest, true)!;
    yield* cutter.push(withoutMark(start));
  }
  yield* cutter.end();
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
}

/** Looks at the first lines. Undefined while more of them must be seen. */
function chooseCutter(start: Buffer, longest: number, isAll: boolean): Cutter | undefined {
  const text = withoutMark(start);
  let at = 0;
  while (at < text.length && isBlank(text[at]!)) at++;
  if (at === text.length) return isAll ? new LineCutter(longest) : undefined;
  if (text[at] === OPEN_ARRAY) return new ValueCutter(longest);
  if (text[at] !== OPEN_OBJECT) return new LineCutter(longest);

  // NDJSON has a whole object on a line. The second line is asked too, so that one damaged first
  // line does not make a long file look like one unfinished document.
  for (let line = 0; line < 2; line++) {
    let end = text.indexOf(NEWLINE, at);
    if (end < 0) {
      if (!isAll && text.length - at <= longest) return undefined;
      end = text.length;
    }
    if (isWholeObject(text.subarray(at, end))) return new LineCutter(longest);
    at = end + 1;
    if (at >= text.length) break;
  }
  return new ValueCutter(longest);
}

function isWholeObject(line: Buffer): boolean {
  if (line[0] !== OPEN_OBJECT) return false;
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
    return this.#current ? [this.#current.finish()] : [];
  }
}
