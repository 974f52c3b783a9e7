/** In charge of a document's text: from bytes to a JSON value, or to reasons why not. */

import type { DocumentText } from "./cutters.ts";
import { isAbysmal } from "./nesting.ts";
import { repeatedMembers } from "./repeats.ts";
import { isSound } from "./soundness.ts";
import { parseExactly } from "./values.ts";

/** A value that is sound need not be asked for values that cannot be kept. */
export type ReadText = { json: string; value: unknown; isSound: boolean } | { faults: string[] };

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function readText(text: DocumentText, source: string, longest: number): ReadText {
  const { bytes } = text;
  if (bytes === undefined) return { faults: [whyMissing(text, source, longest)] };
  const json = decode(bytes);
  if (json === undefined)
    return {
      faults: [
        "this is not UTF-8 text: save the file as UTF-8; of packed files, only gzip is read",
      ],
    };
  if (isAbysmal(bytes)) return { faults: [TOO_DEEP] };
  const parsed = parse(json, JSON.parse);
  if ("fault" in parsed) return { faults: [parsed.fault] };
  if (isSound(json, parsed.value)) return { json, value: parsed.value, isSound: true };
  return readClosely(json);
}

/** Of a text that is JSON, but not sound at first sight. */
function readClosely(json: string): ReadText {
  const parsed = parse(json, parseExactly);
  if ("fault" in parsed) return { faults: [parsed.fault] };
  const repeated = repeatedMembers(json, parsed.value);
  if (repeated.length === 0) return { json, value: parsed.value, isSound: false };
  return {
    faults: repeated.map(
      (place) => `${place} is there twice, and only one can be kept: remove the other`,
    ),
  };
}

function whyMissing({ fault }: DocumentText, source: string, longest: number): string {
  switch (fault) {
    case "unclosed":
      return "the list of documents is not closed: the end of the source is missing, send it whole";
    case "endless":
      return `a document here has no end in sight, so the rest of ${source} is not read: send one document a line`;
    default:
      return `the document is longer than ${longest} bytes: split it, or raise max-record-bytes`;
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

const BYTE_ORDER_MARK = "\ufeff";
const TOO_DEEP = "this is nested too deeply: 64 levels inside a resource are the most";

function parse(
  json: string,
  parser: (json: string) => unknown,
): { value: unknown } | { fault: string } {
  if (json.startsWith(BYTE_ORDER_MARK)) {
    return { fault: "this begins with a byte order mark, which only a whole file may: remove it" };
  }
  try {
    return { value: parser(json) };
  } catch (error) {
    if (error instanceof RangeError) return { fault: TOO_DEEP };
    const reason = (error as Error).message.replace(/^JSON Parse error: /, "");
    return { fault: `this is not JSON: ${reason}` };
  }
}
