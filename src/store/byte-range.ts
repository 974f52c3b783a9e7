/**
 * Bytes within a larger buffer. A view would say the same, but to make one costs more than to copy the
 * bytes to where they are sent from.
 */

export interface ByteRange {
  bytes: Uint8Array;
  start: number;
  end: number;
}

export const whole = (bytes: Uint8Array): ByteRange => ({ bytes, start: 0, end: bytes.length });

export const viewOf = ({ bytes, start, end }: ByteRange): Uint8Array => bytes.subarray(start, end);

/** Copies the bytes into a buffer that has room for them; returns where the copy ends. */
export function copyInto(target: Buffer, at: number, { bytes, start, end }: ByteRange): number {
  // It takes any array of bytes, whatever its type says.
  return at + Buffer.prototype.copy.call(bytes, target, at, start, end);
}
