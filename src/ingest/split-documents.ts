/**
 * Splits a stream of bytes into JSON texts, one document each: lines of NDJSON, the elements of an array, or
 * documents over many lines. Only one is in memory at a time.
 */

import type { Bytes } from "./source.ts";

export interface DocumentText {
  /** The line of the source on which the document begins, from 1. */
  line: number;
  /**
   * Undefined if it was longer than allowed and therefore skipped. Use or copy it before the next document is
   * requested: the source may reuse the memory.
   */
  bytes: Buffer | undefined;
  /** Why this is not a complete document, if so. */
  fault?: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;
const COLON = 0x3a;
const NEWLINE = 0x0a;

const isBlank = (byte: number) =>
  byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;

/** Far deeper than any valid record. */
const MAX_TEXT_DEPTH = 1000;
/** Shorter texts are harmless and not checked. */
const HARMLESS_BYTES = 64 * 1024;

/** Whether a long text opens so many brackets at once that parsing it would take unbounded memory. */
export function isTooDeep(text: Uint8Array): boolean {
  if (text.length <= HARMLESS_BYTES) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]!;
    if (inString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (++depth > MAX_TEXT_DEPTH) return true;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
  }
  return false;
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** A source ends if no document does for this many times the length allowed, and no fewer bytes than that. */
const ENDLESS_RATIO = 16;
const ENDLESS_LEAST = 256 * 1024 * 1024;

const ENDLESS =
  "too many bytes without the end of a document, so the rest of the input is not read: send one document per line";

export async function* splitDocuments(
  source: Bytes,
  longest: number,
): AsyncGenerator<DocumentText> {
  const most = Math.max(ENDLESS_RATIO * longest, ENDLESS_LEAST);
  const start = new SourceStart(longest);
  let splitter: Splitter | undefined;
  /** Since the last document, whitespace included. */
  let bytesSince = 0;
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const isStart = splitter === undefined;
    splitter ??= start.push(bytes);
    const found = splitter?.push(isStart ? start.bytes : bytes) ?? [];
    yield* found;
    bytesSince = found.length > 0 ? 0 : bytesSince + bytes.length;
    if (bytesSince > most) {
      yield { line: splitter?.line ?? 1, bytes: undefined, fault: ENDLESS };
      return;
    }
  }
  if (!splitter) {
    splitter = new Splitter(longest, "lines");
    yield* splitter.push(start.bytes);
  }
  yield* splitter.end();
}

type Format = "lines" | "values";

/** Within a JSON text, a line either ends with one of these bytes, or the next one begins with one of those. */
const OPENING = [OPEN_OBJECT, OPEN_ARRAY, COMMA, COLON];
const CLOSING = [CLOSE_OBJECT, CLOSE_ARRAY, COMMA, COLON];

/** The first bytes of a source, until they show its format. */
class SourceStart {
  #parts: Buffer[] = [];
  #size = 0;
  #first: number | undefined;
  #last = 0;
  #isLineOver = false;

  constructor(private readonly longest: number) {}

  get bytes(): Buffer {
    const all = Buffer.concat(this.#parts);
    return all.subarray(0, 3).equals(BYTE_ORDER_MARK) ? all.subarray(3) : all;
  }

  push(chunk: Buffer): Splitter | undefined {
    // A copy: the source may reuse its chunk.
    this.#parts.push(Buffer.from(chunk));
    this.#size += chunk.length;
    // What is too long for a record may be followed by others on lines of their own.
    const format = this.#formatOf(chunk) ?? (this.#size > this.longest ? "lines" : undefined);
    return format && new Splitter(this.longest, format);
  }

  /** By the end of the first line and the start of the next; undefined while more must be seen. */
  #formatOf(chunk: Buffer): Format | undefined {
    for (const byte of chunk) {
      if (isBlank(byte)) this.#isLineOver ||= byte === NEWLINE && this.#first !== undefined;
      else if (this.#isLineOver) {
        return OPENING.includes(this.#last) || CLOSING.includes(byte) ? "values" : "lines";
      } else if (this.#first !== undefined) this.#last = byte;
      else if (byte === OPEN_ARRAY) return "values";
      else if (byte === OPEN_OBJECT) this.#first = this.#last = byte;
      else if (!BYTE_ORDER_MARK.includes(byte)) return "lines";
    }
  }
}

/**
 * Splits at line ends, or by following the brackets; then the brackets of an outermost array are ignored. Where
 * brackets do not match, everything up to the end of the source is one document, which is not valid JSON.
 */
class Splitter {
  /** The line of the open document, or of the last byte between two. */
  line = 1;
  #isOpen = false;
  #parts: Buffer[] = [];
  #size = 0;
  /** The line ends in the open document. */
  #lineEnds = 0;
  #found = 0;
  #depth = 0;
  #inArray = false;
  #inString = false;
  #isEscaped = false;

  constructor(
    private readonly longest: number,
    private readonly format: Format,
  ) {}

  push(chunk: Buffer): DocumentText[] {
    const found: DocumentText[] = [];
    let at = 0;
    for (;;) {
      if (!this.#isOpen) at = this.#skipBetween(chunk, at);
      if (at === chunk.length) return found;
      this.#isOpen = true;
      const end =
        this.format === "lines" ? chunk.indexOf(NEWLINE, at) : this.#endOfValue(chunk, at);
      if (end < 0) {
        // A copy: the source may reuse its chunk.
        this.#add(Buffer.from(chunk.subarray(at)));
        return found;
      }
      this.#add(chunk.subarray(at, end));
      found.push(this.#finish());
      at = end;
    }
  }

  /** What is open at the end of the source. */
  end(): DocumentText[] {
    const isCut = this.#depth > 0 || this.#inString;
    const found = this.#isOpen ? [this.#finish()] : [];
    const where = `the input ends in line ${this.line}, after ${this.#found - (isCut ? 1 : 0)} complete documents`;
    if (isCut) {
      found[0]!.fault ??= `the document is truncated: ${where}; send it complete, or fix its brackets and quotation marks`;
    } else if (this.#inArray) {
      const fault = `the array of documents is not closed: ${where}; send it complete`;
      found.push({ line: this.line, bytes: undefined, fault });
    }
    return found;
  }

  /** Whitespace, in which a gigabyte must cost little, and what separates the elements of an array. */
  #skipBetween(chunk: Buffer, start: number): number {
    let { line } = this;
    let at = start;
    for (; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (byte === NEWLINE) line += 1;
      else if (isBlank(byte)) continue;
      else if (this.format === "lines") break;
      else if (byte === (this.#inArray ? CLOSE_ARRAY : OPEN_ARRAY)) this.#inArray = !this.#inArray;
      else if (byte !== COMMA) break;
    }
    this.line = line;
    return at;
  }

  /** The offset after the end of the open document, or -1. */
  #endOfValue(chunk: Buffer, start: number): number {
    // Local variables, because this runs for each byte.
    let [depth, inString] = [this.#depth, this.#inString];
    let at = start + (this.#isEscaped ? 1 : 0);
    for (; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (byte === QUOTE) inString = !inString;
      else if (inString) {
        if (byte === BACKSLASH) at += 1;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        if (depth <= 1) break;
        depth -= 1;
      } else if (depth === 0 && (isBlank(byte) || byte === COMMA)) break;
    }
    this.#inString = inString;
    this.#isEscaped = at > chunk.length;
    this.#depth = at < chunk.length ? 0 : depth;
    if (at >= chunk.length) return -1;
    // A bracket without its counterpart belongs to the damaged document, so that reading goes on behind it.
    const isBracket = chunk[at] === CLOSE_OBJECT || chunk[at] === CLOSE_ARRAY;
    const isEndOfArray = depth === 0 && this.#inArray && chunk[at] === CLOSE_ARRAY;
    return isBracket && !isEndOfArray ? at + 1 : at;
  }

  #add(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#size <= this.longest) this.#parts.push(bytes);
    else this.#parts = [];
    if (this.format === "lines") return;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
      this.#lineEnds += 1;
    }
  }

  #finish(): DocumentText {
    const { line, longest } = this;
    const isTooLong = this.#size > longest;
    const bytes = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    this.line += this.#lineEnds;
    this.#found += 1;
    this.#isOpen = false;
    this.#parts = [];
    this.#size = this.#lineEnds = 0;
    if (!isTooLong) return { line, bytes };
    const fault = `the document is larger than ${longest} bytes: split it, or raise max-record-bytes`;
    return { line, bytes: undefined, fault };
  }
}
