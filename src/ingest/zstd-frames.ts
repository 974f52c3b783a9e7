/**
 * Follows the frames of zstd data (RFC 8878), to notice what the decompressor of Bun does not report: data that is
 * truncated, and other bytes after it.
 */

const FRAME = 0xfd2fb528;
/** Frames of other programs, whose content is skipped; the last four bits are free. */
const SKIPPABLE = 0x184d2a50;

/** Skips bytes, then looks at some. */
interface Step {
  skip: number;
  look: number;
  /** Whether the data may end before those that it looks at. */
  isEnd?: true;
}

/** Follows frames, each as long as it says, and ends at anything else. */
function* frames(): Generator<Step, void, Buffer> {
  let skip = 0;
  for (;;) {
    const start = yield { skip, look: 5, isEnd: true };
    const mark = start.readUInt32LE();
    const descriptor = start[4]!;
    if ((mark & ~0xf) >>> 0 === SKIPPABLE) {
      const size = yield { skip: 0, look: 3 };
      skip = descriptor + size.readUIntLE(0, 3) * 256;
      continue;
    }
    if (mark !== FRAME) return;
    // The window, the dictionary id and the size are not of interest.
    const isSingleSegment = (descriptor & 0x20) !== 0;
    const dictionary = [0, 1, 2, 4][descriptor & 3]!;
    skip = (isSingleSegment ? 0 : 1) + dictionary;
    skip += [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
    for (let isLast = false; !isLast; ) {
      const header = (yield { skip, look: 3 }).readUIntLE(0, 3);
      isLast = (header & 1) === 1;
      // A block of this type is one byte, repeated.
      const isRepeated = ((header >> 1) & 3) === 1;
      skip = isRepeated ? 1 : header >> 3;
    }
    const hasChecksum = (descriptor & 4) !== 0;
    if (hasChecksum) skip += 4;
  }
}

/** Watches the compressed bytes as they pass. */
export class ZstdFrames {
  readonly #frames = frames();
  #step = this.#frames.next().value;
  /** The start of what comes next, while it is too short. */
  #rest: Buffer = Buffer.alloc(0);

  /** Throws unless the bytes so far are whole frames and nothing else. The codes are those of zstd. */
  checkEnd(): void {
    if (!this.#step) throw failure("ZSTD_error_prefix_unknown", "it is followed by other data");
    if (!this.#step.isEnd || this.#step.skip > 0 || this.#rest.length > 0) {
      throw failure("ZSTD_error_srcSize_wrong", "unexpected end of file");
    }
  }

  push(chunk: Uint8Array): void {
    let bytes = Buffer.concat([this.#rest, chunk]);
    for (let step = this.#step; step; step = this.#step) {
      const skipped = Math.min(step.skip, bytes.length);
      step.skip -= skipped;
      bytes = bytes.subarray(skipped);
      if (bytes.length < step.look) break;
      this.#step = this.#frames.next(bytes.subarray(0, step.look)).value;
      bytes = bytes.subarray(step.look);
    }
    this.#rest = bytes;
  }
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
