/** In charge of deflate's alphabet: which symbols stand for lengths and distances (RFC 1951, 3.2.5). */

export const END_OF_BLOCK = 256;
export const FIRST_LENGTH = 257;
/** Literals, the end of a block, lengths. */
export const LITERALS = 286;
export const DISTANCES = 30;

export const LONGEST_MATCH = 258;
const FARTHEST = 32768;

/** How many bits follow the symbol of a length or of a distance. */
export const LENGTH_EXTRA = new Uint8Array(LITERALS - FIRST_LENGTH);
export const DISTANCE_EXTRA = new Uint8Array(DISTANCES);
/** The least length or distance that a symbol stands for; the bits that follow are added to it. */
export const LENGTH_BASE = new Uint16Array(LENGTH_EXTRA.length);
export const DISTANCE_BASE = new Uint16Array(DISTANCES);

/** From lengths and distances (less one) to their symbols, the former counted from FIRST_LENGTH. */
export const LENGTH_SYMBOL = new Uint8Array(LONGEST_MATCH + 1);
export const DISTANCE_SYMBOL = new Uint8Array(FARTHEST);

for (let symbol = 0, length = 3; symbol < 28; symbol++) {
  LENGTH_EXTRA[symbol] = symbol < 8 ? 0 : (symbol >> 2) - 1;
  LENGTH_BASE[symbol] = length;
  for (const end = length + (1 << LENGTH_EXTRA[symbol]!); length < end; length++) {
    LENGTH_SYMBOL[length] = symbol;
  }
}
// The longest match has a symbol of its own.
LENGTH_BASE[28] = LONGEST_MATCH;
LENGTH_SYMBOL[LONGEST_MATCH] = 28;

for (let symbol = 0, distance = 0; symbol < DISTANCES; symbol++) {
  DISTANCE_EXTRA[symbol] = symbol < 4 ? 0 : (symbol >> 1) - 1;
  DISTANCE_BASE[symbol] = distance + 1;
  for (const end = distance + (1 << DISTANCE_EXTRA[symbol]!); distance < end; distance++) {
    DISTANCE_SYMBOL[distance] = symbol;
  }
}
