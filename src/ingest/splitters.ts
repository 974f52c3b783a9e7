/** Splits bytes into documents, at line ends or by following the brackets. */

import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  isBlank,
  isTooDeep,
  NEWLINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from "./json-bytes.ts";

export interface DocumentText {
  /** The line of the source on which the document begins, from 1. */
  line: number;
  /**
   * Undefined if it was longer than allowed and therefore skipped. Use or copy it before the next document is
   * requested: the source may reuse the memory.
   */
  bytes: Buffer | undefined;
  /**
   * If set, there is no document. "unclosed": the array of the source has no end. "endless": so many bytes came
   * without the end of a document that the rest of the source is not read.
   */
  fault?: "unclosed" | "endless";
}

export interface Splitter {
  /** Where the unfinished document begins, or the next one may. */
  readonly line: number;
  push(chunk: Buffer): DocumentText[];
  end(): DocumentText[];
}

/** The bytes of an unfinished document, which are dropped when there are too many. */
class OpenDocument {
  #parts: Buffer[] = [];
  size = 0;
  /** Offsets at which another document may begin, should this one be damaged. */
  readonly restarts: number[] = [];

  constructor(
    private readonly longest: number,
    readonly line: number,
    /** How far the line on which it begins is indented. */
    readonly indent = 0,
  ) {}

  add(bytes: Buffer): void {
    this.size += bytes.length;
    if (this.size <= this.longest) this.#parts.push(bytes);
    else this.#parts = [];
  }

  get isTooLong(): boolean {
    return this.size > this.longest;
  }

  /** Its bytes, if it is not too long, and some more. */
  with(end: Buffer): Buffer {
    return Buffer.concat([...this.#parts, end]);
  }

  finish(): DocumentText {
    if (this.isTooLong) return { line: this.line, bytes: undefined };
    const isWhole = this.#parts.length === 1;
    return { line: this.line, bytes: isWhole ? this.#parts[0]! : Buffer.concat(this.#parts) };
  }
}

/** The blank lines from an offset on: where they end, and how many there are. A gigabyte of them must cost little. */
export function blankLines(bytes: Buffer, start: number): { end: number; lines: number } {
  let [end, lines] = [start, 0];
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === NEWLINE) {
      end = at + 1;
      lines += 1;
    } else if (!isBlank(byte)) break;
  }
  return { end, lines };
}

export class LineSplitter implements Splitter {
  #current: OpenDocument;

  constructor(
    private readonly longest: number,
    firstLine: number,
  ) {
    this.#current = new OpenDocument(longest, firstLine);
  }

  get line(): number {
    return this.#current.line;
  }

  push(chunk: Buffer): DocumentText[] {
    const found: DocumentText[] = [];
    let start = 0;
    for (;;) {
      if (this.#current.size === 0) {
        const blank = blankLines(chunk, start);
        start = blank.end;
        if (blank.lines > 0) {
          this.#current = new OpenDocument(this.longest, this.line + blank.lines);
        }
      }
      const end = chunk.indexOf(NEWLINE, start);
      if (end < 0) break;
      this.#current.add(chunk.subarray(start, end));
      found.push(...this.end());
      start = end + 1;
    }
    // A copy: the source may reuse its chunk.
    if (start < chunk.length) this.#current.add(Buffer.from(chunk.subarray(start)));
    return found;
  }

  end(): DocumentText[] {
    const text = this.#current.finish();
    this.#current = new OpenDocument(this.longest, text.line + 1);
    return text.bytes?.every(isBlank) ? [] : [text];
  }
}

/** No real document has so many objects that start a line at or left of its own indentation. */
const MOST_RESTARTS = 1000;

/**
 * Follows the brackets. The brackets of an outermost array are ignored.
 *
 * A truncated document would swallow those after it. Therefore an object that starts a line and is indented no
 * further than the open document may be the next one: if the text around it is not valid JSON, it is split
 * there.
 */
export class ValueSplitter implements Splitter {
  #line: number;
  /** The indentation of the current line, and whether it has only whitespace so far. */
  #indent = 0;
  #isLineBlank = true;
  #depth = 0;
  #inArray = false;
  #inString = false;
  #escaped = false;
  #current: OpenDocument | undefined;

  constructor(
    private readonly longest: number,
    firstLine: number,
  ) {
    this.#line = firstLine;
  }

  get line(): number {
    return this.#current?.line ?? this.#line;
  }

  push(chunk: Buffer): DocumentText[] {
    const found: DocumentText[] = [];
    this.#read(chunk, found);
    return found;
  }

  end(): DocumentText[] {
    const found: DocumentText[] = [];
    while (this.#current && this.#current.restarts.length > 0) this.#split(this.#current, found);
    if (this.#current) found.push(this.#current.finish());
    else if (this.#inArray) found.push({ line: this.#line, bytes: undefined, fault: "unclosed" });
    return found;
  }

  #read(chunk: Buffer, found: DocumentText[]): void {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      if (this.#depth > 0 && !this.#isLineBlank && !this.#escaped) at = this.#skip(chunk, at);
      const byte = chunk[at]!;
      const isFirstOfLine = this.#noteLine(byte);
      if (isFirstOfLine && byte === OPEN_OBJECT && this.#mayRestart()) {
        const current = this.#current!;
        if (current.isTooLong) {
          found.push(current.finish());
          this.#leave();
        } else current.restarts.push(current.size + at - start);
      }
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
        this.#current = new OpenDocument(this.longest, this.#line, this.#indent);
        start = at;
      } else if (this.#depth === 0 && (isBlank(byte) || byte === COMMA || byte === CLOSE_ARRAY)) {
        this.#finish(this.#current, chunk.subarray(start, at), found);
        start = at;
        // If it was split, the byte belongs to the last part of it.
        if (this.#current === undefined) {
          if (byte === CLOSE_ARRAY) this.#inArray = false;
          continue;
        }
      }
      if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        this.#depth = Math.max(0, this.#depth - 1);
        if (this.#depth > 0) continue;
        this.#finish(this.#current, chunk.subarray(start, at + 1), found);
        start = at + 1;
      }
    }
    const current = this.#current;
    if (!current) return;
    const rest = Buffer.from(chunk.subarray(start));
    const { length } = current.restarts;
    if (length > MOST_RESTARTS || (length > 0 && current.size + rest.length > this.longest)) {
      this.#split(current, found, rest);
    } else current.add(rest);
  }

  /**
   * Follows the brackets within a line of a document, several times faster than byte by byte. Returns the offset of the
   * first byte that may mean more, or of the last one.
   */
  #skip(chunk: Buffer, start: number): number {
    let depth = this.#depth;
    let inString = this.#inString;
    let at = start;
    for (; at < chunk.length - 1; at++) {
      const byte = chunk[at]!;
      if (byte === QUOTE) inString = !inString;
      else if (byte === NEWLINE || byte === BACKSLASH) break;
      else if (inString) continue;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        if (depth === 1) break;
        depth -= 1;
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    return at;
  }

  /** Whether the byte is the first on its line that is not whitespace. */
  #noteLine(byte: number): boolean {
    if (byte === NEWLINE) {
      this.#line += 1;
      this.#indent = 0;
      this.#isLineBlank = true;
    } else if (this.#isLineBlank) {
      if (!isBlank(byte)) {
        this.#isLineBlank = false;
        return true;
      }
      this.#indent += 1;
    }
    return false;
  }

  #mayRestart(): boolean {
    return this.#current !== undefined && this.#indent <= this.#current.indent;
  }

  #finish(current: OpenDocument, end: Buffer, found: DocumentText[]): void {
    if (current.restarts.length > 0 && !isWholeObject(current.with(end))) {
      this.#split(current, found, end);
      return;
    }
    current.add(end);
    found.push(current.finish());
    this.#leave();
  }

  /** Splits a damaged document where others may begin. The last part is read again as new input. */
  #split(current: OpenDocument, found: DocumentText[], end: Buffer = EMPTY): void {
    const bytes = current.with(end);
    let [start, startLine] = [0, current.line];
    for (const restart of current.restarts) {
      const part = bytes.subarray(start, restart);
      const last = part.findLastIndex((byte) => !isBlank(byte) && byte !== COMMA);
      const isTooLong = last >= this.longest;
      found.push({ line: startLine, bytes: isTooLong ? undefined : part.subarray(0, last + 1) });
      start = restart;
      startLine += linesIn(part);
    }
    this.#leave();
    this.#line = startLine;
    this.#indent = start - (bytes.lastIndexOf(NEWLINE, start) + 1);
    this.#isLineBlank = true;
    this.#read(bytes.subarray(start), found);
  }

  #leave(): void {
    this.#current = undefined;
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
  }
}

const EMPTY = Buffer.alloc(0);

function linesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/** Whether the text is exactly one valid JSON object. */
export function isWholeObject(text: Buffer): boolean {
  if (text[0] !== OPEN_OBJECT || text.findLast((byte) => !isBlank(byte)) !== CLOSE_OBJECT) {
    return false;
  }
  if (isTooDeep(text)) return false;
  try {
    JSON.parse(text.toString());
    return true;
  } catch {
    return false;
  }
}
