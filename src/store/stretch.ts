/**
 * In charge of bytes that lie within a larger piece of memory. A view of them would say the same, but to
 * make one costs more than to copy them to where they are sent from.
 */

export interface Stretch {
  bytes: Uint8Array;
  start: number;
  end: number;
}

export const whole = (bytes: Uint8Array): Stretch => ({ bytes, start: 0, end: bytes.length });

export const viewOf = ({ bytes, start, end }: Stretch): Uint8Array => bytes.subarray(start, end);

/** Copies a stretch into a buffer that has room for it; says where the copy ends. */
export function copyInto(target: Buffer, at: number, { bytes, start, end }: Stretch): number {
  // It takes any array of bytes, whatever its type says.
  return at + Buffer.prototype.copy.call(bytes, target, at, start, end);
}
