/** In charge of checksum arithmetic: the CRC-32 of joined pieces from the CRCs of the pieces. */

/** CRC-32's polynomial, bits reversed as gzip uses them. */
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

/** x^(2^n) modulo the polynomial, for every bit n of a length in bits. */
const POWERS: number[] = [0x40000000];
for (let n = 1; n < 40; n++) POWERS.push(multiply(POWERS[n - 1]!, POWERS[n - 1]!));

/** x^(8 * length): what appending `length` bytes multiplies a CRC by. */
export function appendFactor(length: number): number {
  let factor = 0x80000000;
  for (let bit = 3, rest = length; rest > 0; bit++, rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) factor = multiply(POWERS[bit]!, factor);
  }
  return factor;
}

/** The CRC of two pieces laid one after another; `factor` is appendFactor of the second's length. */
export function joinCrc(first: number, second: number, factor: number): number {
  return (multiply(factor, first) ^ second) >>> 0;
}
