/** Reads files or standard input, compressed or not, as a stream of bytes. */

import { createReadStream } from "node:fs";
import { Readable, type Transform } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { ZstdFrames } from "./zstd-frames.ts";

export const STANDARD_INPUT = "-";

/** Large reads, because each costs a turn of the event loop. */
const READ_BYTES = 512 * 1024;

/** Recognized by the first bytes rather than by name: standard input has no name. */
const FORMATS = [
  { mark: [0x1f, 0x8b], unpack: gunzip },
  { mark: [0x28, 0xb5, 0x2f, 0xfd], unpack: unzstd },
];
const LONGEST_MARK = 4;

export type Bytes = AsyncIterable<Uint8Array>;

/** The name of a source in messages. */
export function sourceName(path: string): string {
  return path === STANDARD_INPUT ? "standard input" : path;
}

/** The plain bytes of a file or of standard input. `onRead` is called with the number of raw bytes read. */
export async function* readSource(path: string, onRead: (bytes: number) => void): Bytes {
  const raw =
    path === STANDARD_INPUT
      ? Bun.stdin.stream()
      : createReadStream(path, { highWaterMark: READ_BYTES });
  yield* plainBytes(raw as Bytes, onRead);
}

/** The bytes, decompressed if they are gzip or zstd. */
export async function* plainBytes(raw: Bytes, onRead: (bytes: number) => void): Bytes {
  const rest = counted(raw, onRead);
  let start: Uint8Array = Buffer.alloc(0);
  while (start.length < LONGEST_MARK) {
    const { done, value } = await rest.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  const all = joined(start, rest);
  const format = FORMATS.find(({ mark }) => mark.every((byte, index) => start[index] === byte));
  yield* format ? format.unpack(all) : all;
}

async function* counted(raw: Bytes, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of raw) {
    onRead(chunk.length);
    yield chunk;
  }
}

async function* joined(start: Uint8Array, rest: Bytes): Bytes {
  yield start;
  yield* rest;
}

function gunzip(chunks: Bytes): Bytes {
  return unpacked(chunks, createGunzip({ chunkSize: READ_BYTES }));
}

async function* unzstd(chunks: Bytes): Bytes {
  const frames = new ZstdFrames();
  async function* watched() {
    for await (const chunk of chunks) {
      frames.push(chunk);
      yield chunk;
    }
  }
  yield* unpacked(watched(), createZstdDecompress({ chunkSize: READ_BYTES }));
  frames.checkEnd();
}

function unpacked(chunks: Bytes, unpacker: Transform): Bytes {
  const source = Readable.from(chunks);
  source.on("error", (error) => unpacker.destroy(error));
  return source.pipe(unpacker);
}
