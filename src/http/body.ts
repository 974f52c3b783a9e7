/**
 * Response bodies: small ones whenever the machine has time for them, fast ones when it is busy. Joining the stored
 * pieces takes a few microseconds; compressing a document as a whole takes a hundred times as long and halves it.
 */

import { availableParallelism } from "node:os";
import type { Document } from "../document/assemble.ts";
import { MIN_COMPRESSED, recompressed, zstdBody } from "../document/content.ts";
import type { Encoding } from "../document/entity-tag.ts";
import { type Piece, pieceOf } from "../document/fragment.ts";
import { gzipBody, plainBody } from "../document/join-pieces.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import { ByteCache } from "../endpoint/byte-cache.ts";

/** "auto": small unless the machine is busy. "fast": never compress as a whole. "small": always. */
export type Compression = "auto" | "fast" | "small";

/** What a body is made of. `bytesOf` assembles it when the response is created. */
export type Body =
  | { encoding: "zstd"; bytes: Uint8Array<ArrayBuffer> }
  | { encoding: "gzip" | "identity"; pieces: readonly Piece[]; rest: string };

/** The bytes are valid until the next call. */
export function bytesOf(body: Body): Uint8Array<ArrayBuffer> {
  if (body.encoding === "zstd") return body.bytes;
  const { encoding, pieces, rest } = body;
  return encoding === "gzip" ? gzipBody(pieces, rest) : plainBody(pieces, rest);
}

/** Links of this length are compressed too; shorter ones gain little. */
const MIN_REST = 256;

export class Bodies {
  readonly #small: ByteCache<Piece>;
  readonly #running = new Map<string, Promise<Piece>>();
  #compressing = 0;
  #nextInBackground = 0;

  constructor(
    private readonly compression: Compression,
    cacheBytes: number,
    private readonly load: { readonly isBusy: boolean },
  ) {
    this.#small = new ByteCache(cacheBytes);
  }

  /** `encodings` are those that the client accepts, the preferred one first. */
  of(document: Document, encodings: readonly Encoding[]): Awaitable<Body> {
    const { content, rest } = document;
    const [preferred] = encodings;
    const isGzip = encodings.includes("gzip");
    const joined: Body = { encoding: isGzip ? "gzip" : "identity", pieces: content.pieces, rest };
    if (preferred === "identity" || this.compression === "fast") return joined;
    if (content.size < MIN_COMPRESSED && isGzip) return joined;
    const isBusy = this.#isBusy();
    // The load decides only if there is another way.
    if (preferred === "zstd" && (!isBusy || !isGzip)) return this.#zstd(document);
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
    return this.load.isBusy || this.#compressing >= CORES;
  }

  async #zstd({ content, rest }: Document): Promise<Body> {
    return { encoding: "zstd", bytes: await this.#counted(zstdBody(content.pieces, rest)) };
  }

  /** Once for all requests that wait for the same content. */
  async #recompress({ content }: Document): Promise<Piece> {
    const { hash } = content;
    const running = this.#running.get(hash) ?? this.#counted(recompressed(content));
    this.#running.set(hash, running);
    try {
      const piece = await running;
      this.#small.set(hash, piece, piece.bytes.length);
      return piece;
    } finally {
      this.#running.delete(hash);
    }
  }

  async #counted<T>(work: Promise<T>): Promise<T> {
    this.#compressing += 1;
    try {
      return await work;
    } finally {
      this.#compressing -= 1;
    }
  }
}

const CORES = availableParallelism();

function gzipOf(pieces: Piece[], rest: string, isBusy: boolean): Body {
  if (isBusy || rest.length < MIN_REST) return { encoding: "gzip", pieces, rest };
  return { encoding: "gzip", pieces: [...pieces, pieceOf(Buffer.from(rest))], rest: "" };
}
