/** In charge of the file of rejected records: NDJSON that can be mended and sent again. */

import { closeSync, openSync, writeSync } from "node:fs";
import type { JsonObject } from "../domain/json.ts";
import type { Rejection } from "./records.ts";

export class RejectsFile {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, "w");
  }

  add(rejection: Rejection): void {
    writeSync(this.#file, `${JSON.stringify(rejectsLine(rejection))}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/**
 * The record as a document that ingest takes, its reasons in `meta`, which ingest passes over. What
 * was no JSON is kept as text, or as base64 where it is no text either.
 */
function rejectsLine({ origin, problems, document, bytes }: Rejection): JsonObject {
  const rejected: JsonObject = { source: origin.source, line: origin.line, reasons: problems };
  if (document) return { ...document, meta: { rejected } };
  if (bytes) {
    const text = bytes.toString();
    if (Buffer.from(text).equals(bytes)) rejected.text = text;
    else rejected.base64 = bytes.toString("base64");
  }
  return { meta: { rejected } };
}
