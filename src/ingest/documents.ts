/**
 * In charge of cutting a stream of bytes into JSON texts, one document each, without ever holding
 * more than one: lines of NDJSON, the elements of one array, or a document over many lines.
 */

import { type Cutter, type DocumentText, LineCutter } from "./cutters.ts";
import { COMMA, isBlank, NEWLINE, OPEN_ARRAY, OPEN_OBJECT } from "./json-bytes.ts";
import type { Bytes } from "./source.ts";
import { isWholeObject, ValueCutter } from "./value-cutter.ts";

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** How many lines are looked at to tell NDJSON from a document over many lines. */
const FIRST_LINES = 16;

/** A document this many times longer than allowed, and no shorter than that, ends its source. */
const ENDLESS_RATIO = 16;
const ENDLESS_LEAST = 256 * 1024 * 1024;

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
