/** Writes the file of rejected records: NDJSON that can be fixed and sent again. */

import { closeSync, openSync, writeSync } from "node:fs";
import { isObject, type JsonObject } from "../domain/json.ts";
import type { Rejection } from "./records.ts";

export class RejectsFile {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, "w", 0o600);
  }

  add(rejection: Rejection): void {
    writeSync(this.#file, `${rejectsLine(rejection)}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/**
 * The record as a document that ingest accepts, with its reasons in `meta`, which ingest ignores. Invalid JSON
 * is kept as text, or as base64 if it is not text either.
 */
function rejectsLine({ origin, problems, document, bytes }: Rejection): string {
  const rejected: JsonObject = { source: origin.source, line: origin.line, reasons: problems };
  if (document) {
    try {
      const meta = isObject(document.meta) ? document.meta : {};
      return JSON.stringify({ ...document, meta: { ...meta, rejected } });
    } catch (error) {
      // Nested so deeply that only the text itself can be written.
      if (!(error instanceof RangeError)) throw error;
    }
  }
  if (bytes) {
    const text = bytes.toString();
    if (Buffer.from(text).equals(bytes)) rejected.text = text;
    else rejected.base64 = bytes.toString("base64");
  }
  return JSON.stringify({ meta: { rejected } });
}
