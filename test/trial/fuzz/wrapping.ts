/** Ways to compress a file, and to damage it afterwards. */

import { constants, gzipSync, zstdCompressSync } from "node:zlib";

const flipped = (bytes: Buffer) => {
  const copy = Buffer.from(bytes);
  copy[copy.length >> 1]! ^= 0x10;
  return copy;
};
const half = (bytes: Buffer) => bytes.length >> 1;
/** With a checksum, as the program zstd writes it: without one, a flipped bit may just give other data. */
const zstd = (bytes: Buffer) =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
const GARBAGE = Buffer.from("garbage");

const WAYS = {
  plain: (bytes: Buffer) => bytes,
  gzip: (bytes: Buffer) => gzipSync(bytes),
  zstd,
  "gzip-members": (bytes: Buffer) =>
    Buffer.concat([
      gzipSync(bytes.subarray(0, half(bytes))),
      gzipSync(bytes.subarray(half(bytes))),
    ]),
  "zstd-frames": (bytes: Buffer) =>
    Buffer.concat([zstd(bytes.subarray(0, half(bytes))), zstd(bytes.subarray(half(bytes)))]),
  "gzip-cut": (bytes: Buffer) => gzipSync(bytes).subarray(0, -5),
  "zstd-cut": (bytes: Buffer) => zstd(bytes).subarray(0, -5),
  "gzip-flipped": (bytes: Buffer) => flipped(gzipSync(bytes)),
  "zstd-flipped": (bytes: Buffer) => flipped(zstd(bytes)),
  "gzip-garbage": (bytes: Buffer) => Buffer.concat([gzipSync(bytes), GARBAGE]),
  "gzip-twice": (bytes: Buffer) => gzipSync(gzipSync(bytes)),
} as const;

export type Wrapping = keyof typeof WAYS;
export const WRAPPINGS = Object.keys(WAYS) as Wrapping[];

/** These have the same content as the plain file. */
export const SOUND: readonly Wrapping[] = ["plain", "gzip", "zstd", "gzip-members", "zstd-frames"];

export const wrapped = (text: string, wrapping: Wrapping): Buffer =>
  WAYS[wrapping](Buffer.from(text, "latin1"));
