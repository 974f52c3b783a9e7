/** Reads files or standard input, gzip or not, as a stream of bytes. */

import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";

export const STANDARD_INPUT = "-";

/** Large reads, because each costs a turn of the event loop. */
const READ_BYTES = 512 * 1024;

const GZIP_MARK = [0x1f, 0x8b];

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

/** The bytes, decompressed if they are gzip. */
export async function* plainBytes(raw: Bytes, onRead: (bytes: number) => void): Bytes {
  const rest = counted(raw, onRead);
  let start: Uint8Array = Buffer.alloc(0);
  while (start.length < GZIP_MARK.length) {
    const { done, value } = await rest.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  const all = joined(start, rest);
  yield* isGzip(start) ? gunzip(all) : all;
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

/** By the first bytes rather than by name: standard input has no name. */
function isGzip(start: Uint8Array): boolean {
  return GZIP_MARK.every((byte, index) => start[index] === byte);
}

function gunzip(chunks: Bytes): Bytes {
  const source = Readable.from(chunks);
  const unpacked = createGunzip({ chunkSize: READ_BYTES });
  source.on("error", (error) => unpacked.destroy(error));
  return source.pipe(unpacked);
}
