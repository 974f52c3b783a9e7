/** In charge of where records come from: files or standard input, gzip or not, as a stream of bytes. */

import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";

export const STANDARD_INPUT = "-";

export type Bytes = AsyncIterable<Uint8Array>;

/** What a source is called in messages. */
export function sourceName(path: string): string {
  return path === STANDARD_INPUT ? "standard input" : path;
}

/** The plain bytes of a source. `onRead` hears of every raw byte read, for the progress bar. */
export async function* readSource(path: string, onRead: (bytes: number) => void): Bytes {
  const raw = path === STANDARD_INPUT ? Bun.stdin.stream() : createReadStream(path);
  const chunks = (raw as Bytes)[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;

  const all = counted(first.value, chunks, onRead);
  yield* isGzip(first.value) ? gunzip(all) : all;
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
  return start[0] === 0x1f && start[1] === 0x8b;
}

function gunzip(chunks: Bytes): Bytes {
  const source = Readable.from(chunks);
  const unpacked = createGunzip();
  source.on("error", (error) => unpacked.destroy(error));
  return source.pipe(unpacked);
}
