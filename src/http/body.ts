/**
 * Response bodies: small ones whenever the machine has time for them, fast ones when it is busy. Joining the stored
 * pieces takes a few microseconds; compressing a document as a whole takes a hundred times as long and halves it.
 */

import { availableParallelism } from "node:os";
import type { Document } from "../document/assemble.ts";
import { MIN_COMPRESSED, recompressed } from "../document/content.ts";
import type { Encoding } from "../document/entity-tag.ts";
import { type Piece, pieceOf } from "../document/fragment.ts";
import { gzipBody, plainBody } from "../document/join-pieces.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import { ByteCache } from "../endpoint/byte-cache.ts";

/** "auto": small unless the machine is busy. "fast": never compress as a whole. "small": always. */
export type Compression = "auto" | "fast" | "small";

/** What a body is made of. `bytesOf` assembles it when the response is created. */
export interface Body {
  encoding: Encoding;
  pieces: readonly Piece[];
  rest: string;
}

/** The bytes are valid until the next call. */
export const bytesOf = ({ encoding, pieces, rest }: Body): Uint8Array<ArrayBuffer> =>
  encoding === "gzip" ? gzipBody(pieces, rest) : plainBody(pieces, rest);

/** Links of this length are compressed too; shorter ones gain little. */
const MIN_REST = 256;

export class Bodies {
  readonly #small: ByteCache<Piece>;
  readonly #running = new Map<string, Promise<Piece>>();
  #nextInBackground = 0;

  constructor(
    private readonly compression: Compression,
    cacheBytes: number,
    private readonly load: { readonly isBusy: boolean },
  ) {
    this.#small = new ByteCache(cacheBytes);
  }

  of(document: Document, encoding: Encoding): Awaitable<Body> {
    const { content, rest } = document;
    const joined: Body = { encoding, pieces: content.pieces, rest };
    if (encoding === "identity" || this.compression === "fast") return joined;
    if (content.size < MIN_COMPRESSED) return joined;
    const isBusy = this.#isBusy();
    const known = this.#small.get(content.hash);
    if (known) return gzipOf([known], rest, isBusy);
    if (!isBusy) return this.#recompress(document).then((piece) => gzipOf([piece], rest, false));
    if (content.isHot && performance.now() >= this.#nextInBackground) this.#inBackground(document);
    return joined;
  }

  /** What is requested again and again is worth it even under load, for a twentieth of a core at most. */
  async #inBackground(document: Document): Promise<void> {
    const began = performance.now();
    this.#nextInBackground = Number.POSITIVE_INFINITY;
    // A failure is reported when the server has time to compress this document for a request.
    await this.#recompress(document).catch(() => {});
    const now = performance.now();
    this.#nextInBackground = now + 20 * (now - began);
  }

  #isBusy(): boolean {
    if (this.compression === "small") return false;
    return this.load.isBusy || this.#running.size >= CORES;
  }

  /** Once for all requests that wait for the same content. */
  async #recompress({ content }: Document): Promise<Piece> {
    const { hash } = content;
    const running = this.#running.get(hash) ?? recompressed(content);
    this.#running.set(hash, running);
    try {
      const piece = await running;
      this.#small.set(hash, piece, piece.bytes.length);
      return piece;
    } finally {
      this.#running.delete(hash);
    }
  }
}

const CORES = availableParallelism();

function gzipOf(pieces: Piece[], rest: string, isBusy: boolean): Body {
  if (isBusy || rest.length < MIN_REST) return { encoding: "gzip", pieces, rest };
  return { encoding: "gzip", pieces: [...pieces, pieceOf(Buffer.from(rest))], rest: "" };
}
