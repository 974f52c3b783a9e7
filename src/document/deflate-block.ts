/** Finds where the last symbol of a deflate stream (RFC 1951) ends, so that more blocks can follow it. */

/** The order in which a dynamic block lists the lengths of the codes that its code lengths are written with. */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const LONGEST_LENGTH_CODE = 7;
const END_OF_BLOCK = 256;
const DYNAMIC = 2;

/**
 * The number of bits up to the end of a stream, if it is one block with codes of its own. Undefined for any other, and if
 * its end does not differ from the bits that fill the last byte.
 */
export function endOfOnlyBlock(stream: Uint8Array): number | undefined {
  const isFinalAndDynamic = (stream[0]! & 7) === (1 | (DYNAMIC << 1));
  if (!isFinalAndDynamic) return undefined;
  const code = endCode(stream);
  if (code === 0) return undefined;
  // The bits behind the code are zeros, and so are the last ones of the code itself.
  let last = stream.length - 1;
  while (stream[last] === 0) last -= 1;
  const highest = 31 - Math.clz32(stream[last]!);
  const end = last * 8 + highest + 1 + (31 - Math.clz32(code & -code));
  return Math.ceil(end / 8) === stream.length ? end : undefined;
}

/** The code of the symbol that ends a dynamic block: the number whose lowest bit comes last. */
function endCode(stream: Uint8Array): number {
  let at = 3;
  const bits = (count: number): number => {
    const byte = at >> 3;
    const window = stream[byte]! | (stream[byte + 1]! << 8) | (stream[byte + 2]! << 16);
    return (window >> (at & 7)) & ((1 << count) - 1);
  };
  const take = (count: number): number => {
    const value = bits(count);
    at += count;
    return value;
  };
  const symbols = 257 + take(5);
  take(5);
  const lengthLengths = new Uint8Array(LENGTH_ORDER.length);
  const given = 4 + take(4);
  for (let index = 0; index < given; index++) lengthLengths[LENGTH_ORDER[index]!] = take(3);
  const symbolAt = lengthTable(lengthLengths);

  /** How many symbols have a code of each length; and those before the end of the block. */
  const all = new Uint16Array(16);
  const before = new Uint16Array(16);
  let length = 0;
  let endLength = 0;
  for (let symbol = 0; symbol < symbols; ) {
    const found = symbolAt[bits(LONGEST_LENGTH_CODE)]!;
    at += lengthLengths[found]!;
    const count =
      found === 16 ? 3 + take(2) : found === 17 ? 3 + take(3) : found === 18 ? 11 + take(7) : 1;
    if (found !== 16) length = found < 16 ? found : 0;
    for (const next = Math.min(symbol + count, symbols); symbol < next; symbol++) {
      all[length]! += 1;
      if (symbol < END_OF_BLOCK) before[length]! += 1;
      else if (symbol === END_OF_BLOCK) endLength = length;
    }
  }
  let code = 0;
  for (let shorter = 1; shorter < endLength; shorter++) code = (code + all[shorter]!) << 1;
  return code + before[endLength]!;
}

/** The symbol for each seven bits that begin with its code. */
function lengthTable(lengths: Uint8Array): Uint8Array {
  const table = new Uint8Array(1 << LONGEST_LENGTH_CODE);
  let code = 0;
  for (let length = 1; length <= LONGEST_LENGTH_CODE; length++) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue;
      let reversed = 0;
      for (let bit = 0; bit < length; bit++) reversed |= ((code >> bit) & 1) << (length - 1 - bit);
      for (let index = reversed; index < table.length; index += 1 << length) table[index] = symbol;
      code += 1;
    }
    code <<= 1;
  }
  return table;
}
