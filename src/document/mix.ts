/** In charge of spreading the bits of a checksum over all of a number. */

/** Steps that can be undone, so that different numbers stay different. */
export function mixed(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
