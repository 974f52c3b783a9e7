/**
 * Splits a stream of bytes into JSON texts, one document each: lines of NDJSON, the elements of an array, or
 * one document over many lines. Only one is in memory at a time.
 */

import { COMMA, isBlank, NEWLINE, OPEN_ARRAY, OPEN_OBJECT } from "./json-bytes.ts";
import type { Bytes } from "./source.ts";
import {
  blankLines,
  type DocumentText,
  isWholeObject,
  LineSplitter,
  type Splitter,
  ValueSplitter,
} from "./splitters.ts";

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** How many lines are examined to tell NDJSON from a document over many lines. */
const FIRST_LINES = 16;

/** A source ends if no document does for this many times the length allowed, and no fewer bytes than that. */
const ENDLESS_RATIO = 16;
const ENDLESS_LEAST = 256 * 1024 * 1024;

export async function* splitDocuments(
  source: Bytes,
  longest: number,
): AsyncGenerator<DocumentText> {
  const most = Math.max(ENDLESS_RATIO * longest, ENDLESS_LEAST);
  const start = new SourceStart(longest);
  let splitter: Splitter | undefined;
  /** Since the last document, blank ones included. */
  let bytesSince = 0;
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let found: DocumentText[] = [];
    if (splitter) found = splitter.push(bytes);
    else {
      splitter = start.push(bytes);
      if (splitter) found = splitter.push(start.bytes);
    }
    yield* found;
    bytesSince = found.length > 0 ? 0 : bytesSince + bytes.length;
    if (bytesSince > most) {
      yield { line: splitter?.line ?? start.line, bytes: undefined, fault: "endless" };
      return;
    }
  }
  if (!splitter) {
    splitter = start.end();
    yield* splitter.push(start.bytes);
  }
  yield* splitter.end();
}

/** The first bytes of a source, until they show which splitter is needed. */
class SourceStart {
  /** The line on which the bytes begin: blank lines before them are dropped. */
  line = 1;
  #parts: Buffer[] = [];
  #length = 0;
  #enough = 0;
  #isMarkRead = false;

  constructor(private readonly longest: number) {}

  get bytes(): Buffer {
    this.#parts = [Buffer.concat(this.#parts)];
    return this.#parts[0]!;
  }

  push(chunk: Buffer): Splitter | undefined {
    // A copy: the source may reuse its chunk.
    this.#parts.push(Buffer.from(chunk));
    this.#length += chunk.length;
    // They are examined only when a line has ended or when their size has doubled.
    if (this.#length < this.#enough && !chunk.includes(NEWLINE)) return undefined;
    if (!this.#isMarkRead && this.#length < BYTE_ORDER_MARK.length) return undefined;
    const splitter = this.#choose(false);
    this.#enough = 2 * this.#length;
    return splitter;
  }

  end(): Splitter {
    return this.#choose(true)!;
  }

  #choose(isAll: boolean): Splitter | undefined {
    const text = this.#isMarkRead ? this.bytes : withoutMark(this.bytes);
    this.#isMarkRead = true;
    const { end, lines } = blankLines(text, 0);
    this.line += lines;
    this.#parts = [text.subarray(end)];
    this.#length = text.length - end;
    return chooseSplitter(this.#parts[0]!, this.longest, this.line, isAll);
  }
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
}

/** Looks at the first lines. Undefined while more of them must be seen. */
function chooseSplitter(
  text: Buffer,
  longest: number,
  firstLine: number,
  isAll: boolean,
): Splitter | undefined {
  let at = 0;
  while (at < text.length && isBlank(text[at]!)) at++;
  const isLong = text.length > longest;
  if (at === text.length) return isAll || isLong ? new LineSplitter(longest, firstLine) : undefined;
  if (text[at] === OPEN_ARRAY) return new ValueSplitter(longest, firstLine);
  if (text[at] !== OPEN_OBJECT) return new LineSplitter(longest, firstLine);

  // NDJSON has a whole object on a line. Several lines are examined, so that damaged ones at the start do not
  // make a long file look like one unfinished document.
  for (let line = 0; line < FIRST_LINES; line++) {
    let end = text.indexOf(NEWLINE, at);
    if (end < 0 && !isAll) {
      // Too long for a record, and no line end yet: the next record starts on another line.
      return isLong ? new LineSplitter(longest, firstLine) : undefined;
    }
    if (end < 0) end = text.length;
    const asked = text.subarray(at, end);
    if (isWholeObject(asked)) return new LineSplitter(longest, firstLine);
    if (isOfMany(asked, line)) break;
    at = end + 1;
  }
  return new ValueSplitter(longest, firstLine);
}

/** Whether a line belongs to a document over many lines, rather than being damaged. */
function isOfMany(line: Buffer, number: number): boolean {
  const last = line.findLast((byte) => !isBlank(byte));
  if (last === undefined) return false;
  return line[0] !== OPEN_OBJECT || last === OPEN_ARRAY || (number > 0 && last === COMMA);
}
