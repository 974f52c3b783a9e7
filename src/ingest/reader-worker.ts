/** A thread of the reader pool: reads the chunks that it is sent, in their order. */

import type { DocumentChunk } from "./chunks.ts";
import { type ChunkContext, type Incoming, readChunk } from "./read-chunk.ts";

export interface ReadRequest {
  chunk: DocumentChunk;
  context: ChunkContext;
}

/** The documents of the chunk. Rejections are not sent: they may hold what cannot be cloned. */
export type ReadResponse = { isRejected: boolean; incoming: Incoming[] }[];

declare const self: Worker;

const send = (response: ReadResponse | "ready") => self.postMessage(response);

self.onmessage = ({ data: { chunk, context } }: MessageEvent<ReadRequest>) => {
  const documents = readChunk(chunk, context);
  send(
    documents.map(({ rejections, incoming }) => ({ isRejected: rejections.length > 0, incoming })),
  );
};
send("ready");
