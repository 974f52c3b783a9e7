/**
 * Follows the frames of zstd data (RFC 8878), to notice what the decompressor of Bun does not report: data that is
 * truncated, and other bytes after it.
 */

const FRAME = 0xfd2fb528;
/** Frames of other programs, whose content is skipped; the last four bits are free. */
const SKIPPABLE = 0x184d2a50;

type Stage = "frame" | "header" | "block";

/** The bytes that each stage looks at. */
const NEEDED: Record<Stage, number> = { frame: 8, header: 1, block: 3 };

/** Watches the compressed bytes as they pass. */
export class ZstdFrames {
  #stage: Stage = "frame";
  /** Bytes that need not be looked at. */
  #skip = 0;
  /** The start of what comes next, while it is too short. */
  #rest = Buffer.alloc(0);
  #hasChecksum = false;
  #isFollowed = false;

  /** Throws unless the bytes so far are whole frames and nothing else. The codes are those of zstd. */
  checkEnd(): void {
    if (this.#isFollowed) {
      throw failure("ZSTD_error_prefix_unknown", "it is followed by other data");
    }
    if (this.#stage !== "frame" || this.#skip > 0 || this.#rest.length > 0) {
      throw failure("ZSTD_error_srcSize_wrong", "unexpected end of file");
    }
  }

  push(chunk: Uint8Array): void {
    if (this.#isFollowed) return;
    const bytes = Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (;;) {
      const skipped = Math.min(this.#skip, bytes.length - at);
      this.#skip -= skipped;
      at += skipped;
      if (bytes.length - at < NEEDED[this.#stage]) break;
      at += this.#read(bytes, at);
    }
    this.#rest = bytes.subarray(at);
  }

  /** Returns how many bytes it has read. */
  #read(bytes: Buffer, at: number): number {
    switch (this.#stage) {
      case "frame":
        return this.#readFrame(bytes, at);
      case "header":
        return this.#readHeader(bytes[at]!);
      default:
        return this.#readBlock(bytes.readUIntLE(at, 3));
    }
  }

  /** No frame has less than 8 bytes. */
  #readFrame(bytes: Buffer, at: number): number {
    const mark = bytes.readUInt32LE(at);
    if (mark === FRAME) {
      this.#stage = "header";
      return 4;
    }
    if ((mark & ~0xf) >>> 0 !== SKIPPABLE) {
      this.#isFollowed = true;
      return bytes.length - at;
    }
    this.#skip = bytes.readUInt32LE(at + 4);
    return 8;
  }

  /** The window, the dictionary id and the size are not of interest. */
  #readHeader(descriptor: number): number {
    const isSingleSegment = (descriptor & 0x20) !== 0;
    const dictionary = [0, 1, 2, 4][descriptor & 3]!;
    const size = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
    this.#skip = (isSingleSegment ? 0 : 1) + dictionary + size;
    this.#hasChecksum = (descriptor & 4) !== 0;
    this.#stage = "block";
    return 1;
  }

  #readBlock(header: number): number {
    const isLast = (header & 1) === 1;
    // A block of this type is one byte, repeated.
    const isRepeated = ((header >> 1) & 3) === 1;
    this.#skip = isRepeated ? 1 : header >> 3;
    if (isLast) {
      this.#stage = "frame";
      if (this.#hasChecksum) this.#skip += 4;
    }
    return 3;
  }
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
