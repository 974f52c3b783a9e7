/** Combines CRC-32 checksums: the CRC of joined pieces from the CRCs of the pieces. */

/** The CRC-32 polynomial with reversed bits, as in gzip. */
const POLYNOMIAL = 0xedb88320;

/** a(x) * b(x) modulo the polynomial. */
function multiply(a: number, b: number): number {
  let mask = 0x80000000;
  let product = 0;
  for (;;) {
    if (a & mask) {
      product ^= b;
      if ((a & (mask - 1)) === 0) return product >>> 0;
    }
    mask >>>= 1;
    b = b & 1 ? (b >>> 1) ^ POLYNOMIAL : b >>> 1;
  }
}

const LENGTH_BITS = 32;
const BYTE_VALUES = 256;
const ENTRIES = 4 * BYTE_VALUES;

/**
 * For each bit n of a length, tables of what appending 2^n bytes does to each byte of a CRC.
 * Multiplying for every piece would cost as much as the rest of joining.
 */
const APPENDED = new Int32Array(LENGTH_BITS * ENTRIES);

let factor = 0x00800000; // x^8: one byte
for (let bit = 0; bit < LENGTH_BITS; bit++) {
  for (let byte = 0; byte < 4; byte++) {
    const start = bit * ENTRIES + byte * BYTE_VALUES;
    for (let value = 1; value < BYTE_VALUES; value++) {
      // Multiplication distributes over XOR: only single bits are multiplied.
      const lowest = value & -value;
      APPENDED[start + value] =
        value === lowest
          ? multiply(factor, (value << (8 * byte)) >>> 0)
          : APPENDED[start + lowest]! ^ APPENDED[start + (value ^ lowest)]!;
    }
  }
  factor = multiply(factor, factor);
}

/** The CRC of two concatenated pieces, from their CRCs and the length of the second. */
export function joinCrc(first: number, second: number, secondLength: number): number {
  let crc = first;
  for (let table = 0, rest = secondLength; rest > 0; rest >>>= 1, table += ENTRIES) {
    if ((rest & 1) === 0) continue;
    crc =
      APPENDED[table + (crc & 0xff)]! ^
      APPENDED[table + 256 + ((crc >>> 8) & 0xff)]! ^
      APPENDED[table + 512 + ((crc >>> 16) & 0xff)]! ^
      APPENDED[table + 768 + (crc >>> 24)]!;
  }
  return (crc ^ second) >>> 0;
}

/** Mixes the bits of a checksum. The mapping is invertible, so different values stay different. */
export function mixed(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
