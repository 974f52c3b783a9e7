/** Parses the text of a document and detects what JSON.parse would silently lose or corrupt. */

import type { JsonObject } from "../domain/json.ts";
import { type DocumentText, isTooDeep } from "./split-documents.ts";

/** `isSafe`: no number, string or nesting in it needs a closer look. */
export type ParsedDocument = { value: unknown; isSafe: boolean } | { problems: string[] };

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const BYTE_ORDER_MARK = "\ufeff";
const TOO_DEEP = "the document is nested too deeply: a resource may have at most 64 levels";

export function parseDocument({ bytes, fault }: DocumentText): ParsedDocument {
  const failed = (problem: string): ParsedDocument => ({ problems: [problem] });
  if (fault !== undefined) return failed(fault);
  if (isTooDeep(bytes!)) return failed(TOO_DEEP);
  try {
    const json = decoder.decode(bytes);
    if (json.startsWith(BYTE_ORDER_MARK)) {
      return failed(
        "the document starts with a byte order mark, which is only allowed at the start of a file: remove it",
      );
    }
    const value: unknown = JSON.parse(json);
    // Decoded text is well-formed: only an escape can be a lone surrogate.
    if (possibleNames(json) === safeMembers(value, json.includes("\\u"), 0)) {
      return { value, isSafe: true };
    }
    const { hasDuplicateMember, hasLargeNumber } = inspect(json, value);
    if (hasDuplicateMember) {
      return failed("an object has a duplicate member: remove one of the two");
    }
    return { value: hasLargeNumber ? parseExactly(json) : value, isSafe: false };
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_ENCODING_INVALID_ENCODED_DATA") {
      return failed(
        "not valid UTF-8: save the file as UTF-8; gzip and zstd are the supported compressions",
      );
    }
    if (error instanceof RangeError) return failed(TOO_DEEP);
    const reason = (error as Error).message.replace(/^JSON Parse error: /, "");
    return failed(`not valid JSON: ${reason}`);
  }
}

const QUOTE = '"'.charCodeAt(0);
const SPACE = " ".charCodeAt(0);

/** The number of member names in the text, or more: a string may also contain a quote and a colon. */
function possibleNames(json: string): number {
  let count = 0;
  for (let at = json.indexOf(":"); at >= 0; at = json.indexOf(":", at + 1)) {
    const before = json.charCodeAt(at - 1);
    if (before === QUOTE) count += 1;
    // Few texts have spaces before their colons; the others are counted faster.
    else if (before <= SPACE) return json.match(/"\s*:/g)?.length ?? 0;
  }
  return count;
}

/** Less than a resource may have: the resource itself is a few levels down in its document. */
const SAFE_DEPTH = 60;
/** From here on, JSON.parse may have rounded an integer. */
const MAX_INTEGER = 2 ** 53;

/** The number of members in all objects of a value; NaN when some part of it needs a closer look. */
function safeMembers(value: unknown, hasEscapes: boolean, depth: number): number {
  if (typeof value === "number") return Math.abs(value) < MAX_INTEGER ? 0 : Number.NaN;
  if (typeof value === "string") return !hasEscapes || value.isWellFormed() ? 0 : Number.NaN;
  if (typeof value !== "object" || value === null) return 0;
  if (depth === SAFE_DEPTH) return Number.NaN;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += safeMembers(item, hasEscapes, depth + 1);
    return count;
  }
  for (const name in value) {
    if (hasEscapes && !name.isWellFormed()) return Number.NaN;
    const member = (value as Record<string, unknown>)[name];
    count += 1 + safeMembers(member, hasEscapes, depth + 1);
  }
  return count;
}

/** The exact check, for the few texts that fail the fast one. */
function inspect(json: string, value: unknown) {
  let names = 0;
  let hasLargeNumber = false;
  const withoutEscapes = json.replace(/\\./g, "");
  for (const [, colon] of withoutEscapes.matchAll(/"[^"]*"(\s*:)?/g)) if (colon) names += 1;
  // Not recursive, because the value may be nested deeply.
  const open = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one === "number") hasLargeNumber ||= Math.abs(one) >= MAX_INTEGER;
    if (typeof one !== "object" || one === null) continue;
    const parts = Object.values(one);
    if (!Array.isArray(one)) names -= parts.length;
    for (const part of parts) open.push(part);
  }
  // JSON.parse keeps the last of several members with one name: then the text has more names.
  return { hasDuplicateMember: names > 0, hasLargeNumber };
}

// TypeScript does not know these yet.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(source: string): JsonObject;
  isRawJSON(value: unknown): boolean;
};

/** Numbers that would lose precision keep their digits, for messages and the rejects file. */
function parseExactly(json: string): unknown {
  return JSON.parse(json, (_name, value, context?: { source?: string }) => {
    const source = context?.source;
    return typeof value === "number" && source !== undefined ? exactNumber(value, source) : value;
  });
}

export function exactNumber(value: number, source: string): number | JsonObject {
  return isCorrupted(value, source) ? rawJSON(source) : value;
}

/** Whether a parsed value is a number that would lose precision. */
export const isInexact: (value: unknown) => boolean = isRawJSON;

function isCorrupted(value: number, source: string): boolean {
  if (Math.abs(value) !== MAX_INTEGER) {
    return Math.abs(value) > MAX_INTEGER && (Number.isInteger(value) || !Number.isFinite(value));
  }
  // 2^53 + 1 is read as 2^53, however a point and an exponent shift its digits.
  const digits = source.replace(/[eE].*$/, "").replace(/[-.]/g, "");
  return digits.replace(/^0+|0+$/g, "") === "9007199254740993";
}
