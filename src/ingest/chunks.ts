/** Collects the documents of a source in chunks, the unit that readers work on. */

import type { Bytes } from "./source.ts";
import { type DocumentText, splitDocuments } from "./split-documents.ts";

export interface Source {
  name: string;
  bytes: Bytes;
}

export interface DocumentChunk {
  source: string;
  /** When its documents were read. */
  now: number;
  texts: DocumentText[];
  /** The bytes of all texts. */
  size: number;
  /** Set when the source broke off after these documents. */
  failure?: SourceFailure;
}

export interface SourceFailure {
  /** The line of the last document before it. */
  line: number;
  error: Error & { code: string };
}

/** Small enough that several are in progress; large enough that passing them to a thread costs little. */
const CHUNK_BYTES = 256 * 1024;
const CHUNK_DOCUMENTS = 256;

/** All documents of a source, in order. If the source breaks off, what came before is still returned. */
export async function* chunks(
  source: Source,
  longest: number,
  clock: () => number,
): AsyncGenerator<DocumentChunk> {
  let texts: DocumentText[] = [];
  let size = 0;
  let line = 1;
  const take = (): DocumentChunk => {
    const chunk = { source: source.name, now: clock(), texts, size };
    texts = [];
    size = 0;
    return chunk;
  };
  try {
    for await (const text of splitDocuments(source.bytes, longest)) {
      line = text.line;
      // A copy: the source may use its memory again.
      texts.push({ ...text, bytes: text.bytes && Buffer.from(text.bytes) });
      size += text.bytes?.length ?? 0;
      if (size >= CHUNK_BYTES || texts.length >= CHUNK_DOCUMENTS) yield take();
    }
  } catch (error) {
    if (!isSourceFailure(error)) throw error;
    yield { ...take(), failure: { line, error } };
    return;
  }
  if (texts.length > 0) yield take();
}

/** Errors of files and of compressed data have a code of the operating system, of zlib or of zstd. */
function isSourceFailure(error: unknown): error is Error & { code: string } {
  const code = (error as { code?: unknown } | null)?.code;
  return (
    error instanceof Error &&
    typeof code === "string" &&
    /^(E[A-Z]+|Z_[A-Z_]+|ZSTD_\w+)$/.test(code)
  );
}
