/** Encodes and decodes lists of numbers in rows. */

export function packNumbers(numbers: Iterable<number>): Uint8Array {
  return new Uint8Array(Uint32Array.from(numbers).buffer);
}

export function unpackNumbers(packed: Uint8Array): Uint32Array {
  // A copy, because the bytes need not be 4-byte aligned.
  return new Uint32Array(Uint8Array.from(packed).buffer);
}
