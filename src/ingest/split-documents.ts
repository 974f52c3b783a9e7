/**
 * Splits a stream of bytes into JSON texts, one document each: lines of NDJSON, the elements of an array, or
 * one document over many lines. Only one is in memory at a time.
 */

import { COMMA, isBlank, NEWLINE, OPEN_ARRAY, OPEN_OBJECT } from "./json-bytes.ts";
import type { Bytes } from "./source.ts";
import {
  type DocumentText,
  isWholeObject,
  LineSplitter,
  type Splitter,
  ValueSplitter,
} from "./splitters.ts";

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** How many lines are examined to tell NDJSON from a document over many lines. */
const FIRST_LINES = 16;

/** A document this many times longer than allowed, and no shorter than that, ends its source. */
const ENDLESS_RATIO = 16;
const ENDLESS_LEAST = 256 * 1024 * 1024;

export async function* splitDocuments(
  source: Bytes,
  longest: number,
): AsyncGenerator<DocumentText> {
  const most = Math.max(ENDLESS_RATIO * longest, ENDLESS_LEAST);
  let splitter: Splitter | undefined;
  // The first bytes, until they show which splitter is needed.
  let start: Buffer[] = [];
  let length = 0;
  let enough = 0;
  const choose = (isAll: boolean) => {
    start = [Buffer.concat(start)];
    return chooseSplitter(start[0]!, longest, isAll);
  };
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (splitter) yield* splitter.push(bytes);
    else {
      start.push(Buffer.from(bytes));
      length += bytes.length;
      // They are examined only when a line has ended or when their size has doubled.
      if (length < enough && !bytes.includes(NEWLINE)) continue;
      enough = 2 * length;
      splitter = choose(false);
      if (splitter) yield* splitter.push(withoutMark(start[0]!));
    }
    if (splitter?.current && splitter.current.size > most) {
      yield { line: splitter.current.line, bytes: undefined, fault: "endless" };
      return;
    }
  }
  if (!splitter) {
    splitter = choose(true)!;
    yield* splitter.push(withoutMark(start[0]!));
  }
  yield* splitter.end();
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
}

/** Looks at the first lines. Undefined while more of them must be seen. */
function chooseSplitter(start: Buffer, longest: number, isAll: boolean): Splitter | undefined {
  if (start.length < BYTE_ORDER_MARK.length && !isAll) return undefined;
  const text = withoutMark(start);
  let at = 0;
  while (at < text.length && isBlank(text[at]!)) at++;
  const isLong = text.length > longest;
  if (at === text.length) return isAll || isLong ? new LineSplitter(longest) : undefined;
  if (text[at] === OPEN_ARRAY) return new ValueSplitter(longest);
  if (text[at] !== OPEN_OBJECT) return new LineSplitter(longest);

  // NDJSON has a whole object on a line. Several lines are examined, so that damaged ones at the start do not
  // make a long file look like one unfinished document.
  for (let line = 0; line < FIRST_LINES; line++) {
    let end = text.indexOf(NEWLINE, at);
    if (end < 0 && !isAll) {
      // Too long for a record, and no line end yet: the next record starts on another line.
      return isLong ? new LineSplitter(longest) : undefined;
    }
    if (end < 0) end = text.length;
    const asked = text.subarray(at, end);
    if (isWholeObject(asked)) return new LineSplitter(longest);
    if (isOfMany(asked, line)) break;
    at = end + 1;
  }
  return new ValueSplitter(longest);
}

/** Whether a line belongs to a document over many lines, rather than being damaged. */
function isOfMany(line: Buffer, number: number): boolean {
  const last = line.findLast((byte) => !isBlank(byte));
  if (last === undefined) return false;
  return line[0] !== OPEN_OBJECT || last === OPEN_ARRAY || (number > 0 && last === COMMA);
}
