/**
 * In charge of handing documents over in parcels: a few at a time, in one piece of memory that is the
 * receiver's own, whichever thread it is in.
 */

import type { DocumentText } from "./cutters.ts";
import { documents } from "./documents.ts";
import type { Bytes } from "./source.ts";

export interface Source {
  name: string;
  bytes: Bytes;
}

export interface Parcel {
  source: string;
  /** When its documents were read off the source. */
  now: number;
  documents: ParcelDocument[];
  bytes: Uint8Array<ArrayBuffer>;
  /** Set when the source broke off after these documents. */
  failure: SourceFailure | undefined;
}

export interface SourceFailure {
  /** The line of the last document before it. */
  line: number;
  error: Error & { code: string };
}

/** A document, and where its text ends in the parcel; texts lie one after another. */
export interface ParcelDocument {
  line: number;
  end: number;
  /** Why there is no text, if there is none. */
  missing?: "too-long" | NonNullable<DocumentText["fault"]>;
}

/** Small enough that several are under way; large enough that handing over costs little. */
const PARCEL_BYTES = 256 * 1024;
const PARCEL_DOCUMENTS = 256;
/** The document that fills a parcel mostly goes beyond it; without room for that, all would be copied. */
const ROOM_BEYOND_BYTES = 64 * 1024;

/** All documents of a source, in order. One that breaks off still gives what came before. */
export async function* parcels(
  source: Source,
  longest: number,
  clock: () => number,
): AsyncGenerator<Parcel> {
  let open = new OpenParcel(source.name, clock);
  let line = 1;
  try {
    for await (const text of documents(source.bytes, longest)) {
      line = text.line;
      open.add(text);
      if (!open.isFull) continue;
      yield open.close();
      open = new OpenParcel(source.name, clock);
    }
  } catch (error) {
    if (!isSourceFailure(error)) throw error;
    yield open.close({ line, error });
    return;
  }
  if (!open.isEmpty) yield open.close();
}

/** The text of each document of a parcel. */
export function textsIn({ documents, bytes }: Parcel): DocumentText[] {
  let start = 0;
  return documents.map(({ line, end, missing }) => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
    start = end;
    if (missing === undefined) return { line, bytes: text };
    return { line, bytes: undefined, ...(missing === "too-long" ? {} : { fault: missing }) };
  });
}

/** A parcel that documents are still put into. */
class OpenParcel {
  readonly #documents: ParcelDocument[] = [];
  #bytes = new Uint8Array(PARCEL_BYTES + ROOM_BEYOND_BYTES);
  #size = 0;

  constructor(
    private readonly source: string,
    private readonly clock: () => number,
  ) {}

  get isEmpty(): boolean {
    return this.#documents.length === 0;
  }

  get isFull(): boolean {
    return this.#size >= PARCEL_BYTES || this.#documents.length >= PARCEL_DOCUMENTS;
  }

  add({ line, bytes, fault }: DocumentText): void {
    if (bytes) this.#append(bytes);
    const document: ParcelDocument = { line, end: this.#size };
    if (!bytes) document.missing = fault ?? "too-long";
    this.#documents.push(document);
  }

  close(failure?: SourceFailure): Parcel {
    return {
      source: this.source,
      now: this.clock(),
      documents: this.#documents,
      bytes: this.#bytes.subarray(0, this.#size),
      failure,
    };
  }

  #append(bytes: Uint8Array): void {
    const size = this.#size + bytes.length;
    if (size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(size, 2 * this.#size));
      larger.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#size);
    this.#size = size;
  }
}

/** Errors of files and of gzip carry a code of the operating system or of zlib. */
function isSourceFailure(error: unknown): error is Error & { code: string } {
  const code = (error as { code?: unknown } | null)?.code;
  return error instanceof Error && typeof code === "string" && /^(E[A-Z]+|Z_[A-Z_]+)$/.test(code);
}
