/** In charge of where records come from: files or standard input, gzip or not, as a stream of bytes. */

import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";

export const STANDARD_INPUT = "-";

/** Large reads, since every one costs a turn of the event loop. */
const READ_BYTES = 512 * 1024;

const GZIP_MARK = [0x1f, 0x8b];

export type Bytes = AsyncIterable<Uint8Array>;

/** What a source is called in messages. */
export function sourceName(path: string): string {
  return path === STANDARD_INPUT ? "standard input" : path;
}

/** The plain bytes of a file or of standard input. `onRead` hears of every raw byte read. */
export async function* readSource(path: string, onRead: (bytes: number) => void): Bytes {
  const raw =
    path === STANDARD_INPUT
      ? Bun.stdin.stream()
      : createReadStream(path, { highWaterMark: READ_BYTES });
  yield* plainBytes(raw as Bytes, onRead);
}

/** What was sent, unpacked if it is gzip. */
export async function* plainBytes(raw: Bytes, onRead: (bytes: number) => void): Bytes {
  const chunks = raw[Symbol.asyncIterator]();
  let start: Uint8Array = Buffer.alloc(0);
  while (start.length < GZIP_MARK.length) {
    const { done, value } = await chunks.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  const all = counted(start, chunks, onRead);
  yield* isGzip(start) ? gunzip(all) : all;
}

async function* counted(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
  onRead: (bytes: number) => void,
): Bytes {
  onRead(first.length);
  yield first;
  for (;;) {
    const { done, value } = await rest.next();
    if (done) return;
    onRead(value.length);
    yield value;
  }
}

/** By its first bytes rather than by its name: standard input has none. */
function isGzip(start: Uint8Array): boolean {
  return GZIP_MARK.every((byte, index) => start[index] === byte);
}

function gunzip(chunks: Bytes): Bytes {
  const source = Readable.from(chunks);
  const unpacked = createGunzip({ chunkSize: READ_BYTES });
  source.on("error", (error) => unpacked.destroy(error));
  return source.pipe(unpacked);
}
