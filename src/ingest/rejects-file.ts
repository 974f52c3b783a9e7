/** Writes the file of rejected records: NDJSON that can be fixed and sent again. */

import { closeSync, fstatSync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { isObject, type JsonObject } from "../domain/json.ts";
import { syncFolder, writeAll } from "../durable-files.ts";
import type { Rejection } from "./records.ts";

export class RejectsFile {
  readonly #file: number;
  readonly #isRegular: boolean;

  constructor(path: string) {
    this.#file = openSync(path, "w", 0o600);
    // Devices and pipes cannot be synced.
    this.#isRegular = fstatSync(this.#file).isFile();
    if (this.#isRegular) syncFolder(dirname(path));
  }

  add(rejection: Rejection): void {
    writeAll(this.#file, `${rejectsLine(rejection)}\n`);
  }

  /** The records are on the disk before the report counts them. */
  close(): void {
    if (this.#isRegular) fsyncSync(this.#file);
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
