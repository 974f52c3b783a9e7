/** In charge of Huffman codes: from how often symbols occur to the lengths of their codes and the codes. */

const MOST_SYMBOLS = 288;
/** Symbols have nine bits in a sort key; what is left is enough to count any text. */
const SYMBOL_BITS = 9;
const SYMBOL_MASK = (1 << SYMBOL_BITS) - 1;
const HEAVIEST = 0x7fffffff;

/** Symbols are sorted into buckets by how often they occur; what is beyond the last is sorted by hand. */
const LAST_BUCKET = 127;
const bucketEnds = new Int32Array(LAST_BUCKET + 1);

const keys = new Int32Array(MOST_SYMBOLS);
/** The weights of the inner nodes of the tree in the order they are made; then their depths. */
const inner = new Int32Array(MOST_SYMBOLS);
const leafParents = new Uint16Array(MOST_SYMBOLS);
const innerParents = new Uint16Array(MOST_SYMBOLS);
const lengthCounts = new Uint16Array(MOST_SYMBOLS);

/**
 * Sets the length of each symbol's code, none longer than `longest`, 0 for symbols that do not occur.
 * At least two symbols get a code: a code of one alone would not be complete.
 */
export function codeLengths(counts: Int32Array, longest: number, lengths: Uint8Array): void {
  const used = sortUsed(counts);
  lengths.fill(0);
  if (used < 2) {
    const only = used === 1 ? keys[0]! & SYMBOL_MASK : 0;
    lengths[only] = 1;
    lengths[only === 0 ? 1 : 0] = 1;
    return;
  }
  buildTree(used);
  countLengths(used, longest);
  // The rarest symbols come first and get the longest codes.
  let at = 0;
  for (let length = longest; length > 0; length--) {
    for (let left = lengthCounts[length]!; left > 0; left--) {
      lengths[keys[at++]! & SYMBOL_MASK] = length;
    }
  }
}

/** Fills `keys` with the symbols that occur, the rarest first. */
function sortUsed(counts: Int32Array): number {
  bucketEnds.fill(0);
  for (let symbol = 0; symbol < counts.length; symbol++) {
    bucketEnds[Math.min(counts[symbol]!, LAST_BUCKET)]!++;
  }
  // Those that do not occur are in the first bucket, which is left out.
  bucketEnds[0] = 0;
  for (let bucket = 1; bucket <= LAST_BUCKET; bucket++) {
    bucketEnds[bucket]! += bucketEnds[bucket - 1]!;
  }
  const used = bucketEnds[LAST_BUCKET]!;
  for (let symbol = counts.length - 1; symbol >= 0; symbol--) {
    const count = counts[symbol]!;
    if (count === 0) continue;
    const bucket = Math.min(count, LAST_BUCKET);
    keys[--bucketEnds[bucket]!] = (count << SYMBOL_BITS) | symbol;
  }
  sortFrom(bucketEnds[LAST_BUCKET]!, used);
  return used;
}

/** Few symbols occur so often that their bucket says nothing about their order. */
function sortFrom(start: number, end: number): void {
  for (let next = start + 1; next < end; next++) {
    const key = keys[next]!;
    let place = next;
    for (; place > start && keys[place - 1]! > key; place--) keys[place] = keys[place - 1]!;
    keys[place] = key;
  }
}

/** Joins the two lightest nodes again and again. Inner nodes are made in the order of their weights. */
function buildTree(used: number): void {
  let leaf = 0;
  let ready = 0;
  for (let made = 0; made < used - 1; made++) {
    let weight = 0;
    for (let child = 0; child < 2; child++) {
      const leafWeight = leaf < used ? keys[leaf]! >> SYMBOL_BITS : HEAVIEST;
      if (ready < made && inner[ready]! < leafWeight) {
        weight += inner[ready]!;
        innerParents[ready++] = made;
      } else {
        weight += leafWeight;
        leafParents[leaf++] = made;
      }
    }
    inner[made] = weight;
  }
}

/** How many codes there are of each length, once those that are too long are brought back. */
function countLengths(used: number, longest: number): void {
  const root = used - 2;
  lengthCounts.fill(0);
  inner[root] = 0;
  for (let node = root - 1; node >= 0; node--) inner[node] = inner[innerParents[node]!]! + 1;
  let room = 1 << longest;
  for (let leaf = 0; leaf < used; leaf++) {
    const length = Math.min(inner[leafParents[leaf]!]! + 1, longest);
    lengthCounts[length]!++;
    room -= 1 << (longest - length);
  }
  // Each step lengthens a shorter code by one bit, and puts one of the longest beside it.
  for (; room < 0; room++) {
    let shorter = longest - 1;
    while (lengthCounts[shorter] === 0) shorter--;
    lengthCounts[shorter]!--;
    lengthCounts[shorter + 1]! += 2;
    lengthCounts[longest]!--;
  }
}

const nextCode = new Uint16Array(17);

/** Sets each symbol's code, bits reversed as deflate sends them, above four bits of its length. */
export function assignCodes(lengths: Uint8Array, codes: Int32Array): void {
  nextCode.fill(0);
  for (let symbol = 0; symbol < lengths.length; symbol++) nextCode[lengths[symbol]! + 1]!++;
  // Codes of no length are none.
  nextCode[1] = 0;
  for (let length = 2; length <= 15; length++) {
    nextCode[length] = (nextCode[length - 1]! + nextCode[length]!) << 1;
  }
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol]!;
    if (length !== 0) codes[symbol] = (reversed(nextCode[length]!++, length) << 4) | length;
  }
}

function reversed(code: number, length: number): number {
  let bits = ((code & 0x5555) << 1) | ((code >> 1) & 0x5555);
  bits = ((bits & 0x3333) << 2) | ((bits >> 2) & 0x3333);
  bits = ((bits & 0x0f0f) << 4) | ((bits >> 4) & 0x0f0f);
  bits = ((bits & 0xff) << 8) | (bits >> 8);
  return bits >> (16 - length);
}
