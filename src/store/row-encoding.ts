/** Encodes and decodes values in rows. */

import type { Vocabulary } from "./store.ts";

/** Stored words have a prefix: "path:…" or "type:…". */
export function readVocabulary(words: readonly string[]): Vocabulary {
  const after = (prefix: string) =>
    new Set(
      words.filter((word) => word.startsWith(prefix)).map((word) => word.slice(prefix.length)),
    );
  return { includePaths: after("path:"), types: after("type:") };
}

export function packNumbers(numbers: Iterable<number>): Uint8Array {
  return new Uint8Array(Uint32Array.from(numbers).buffer);
}

export function unpackNumbers(packed: Uint8Array): Uint32Array {
  // A copy, because the bytes need not be 4-byte aligned.
  return new Uint32Array(Uint8Array.from(packed).buffer);
}
