/** A range of bytes in a larger buffer. Creating a view costs more than copying the bytes. */

export interface ByteRange {
  bytes: Uint8Array;
  start: number;
  end: number;
}

export const whole = (bytes: Uint8Array): ByteRange => ({ bytes, start: 0, end: bytes.length });

export const viewOf = ({ bytes, start, end }: ByteRange): Uint8Array => bytes.subarray(start, end);

/** Copies the bytes and returns the end position. The target must be large enough. */
export function copyInto(target: Buffer, at: number, { bytes, start, end }: ByteRange): number {
  // Works for any Uint8Array, despite its type.
  return at + Buffer.prototype.copy.call(bytes, target, at, start, end);
}
