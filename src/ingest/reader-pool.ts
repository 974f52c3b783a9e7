/** Reads chunks in threads once there is enough to read, and in the calling thread otherwise. */

import type { DocumentChunk } from "./chunks.ts";
import { type ChunkContext, type DocumentContent, readChunk } from "./read-chunk.ts";
import type { ReadRequest, ReadResponse } from "./reader-worker.ts";
import { readDocument } from "./records.ts";

/** This much is read in the calling thread first: most ingests end before a thread would be ready. */
const HEAD_START_BYTES = 2 << 20;

/**
 * What may be in progress in the threads. They continue while a batch is being stored, so it must last for
 * that time; ingest needs this memory in addition to the batch.
 */
const IN_PROGRESS_BYTES = 16 << 20;

export class ReaderPool {
  #threads: ReaderWorker[] = [];
  #bytes = 0;

  constructor(
    private readonly context: ChunkContext,
    private readonly count: number,
  ) {}

  async read(chunk: DocumentChunk): Promise<DocumentContent[]> {
    const { context } = this;
    this.#bytes += chunk.size;
    if (this.#threads.length === 0 && this.#bytes > HEAD_START_BYTES) {
      this.#threads = Array.from({ length: this.count }, () => new ReaderWorker());
    }
    const thread = this.#leastBusy();
    if (!thread) return readChunk(chunk, context);
    const { source, now, texts, size } = chunk;
    const documents = await thread.read({ chunk: { source, now, texts, size }, context });
    return documents.map(({ isRejected, incoming }, at) => {
      // Documents that a thread rejects are read again here.
      const again = () => readDocument(texts[at]!, source, { ...context, now }).rejections;
      return { rejections: isRejected ? again() : [], incoming };
    });
  }

  /** How many bytes of chunks may be in progress. Without threads, one chunk is read at a time. */
  get room(): number {
    return this.#leastBusy() ? IN_PROGRESS_BYTES : 0;
  }

  stop(): void {
    for (const thread of this.#threads) thread.stop();
    this.#threads = [];
  }

  #leastBusy(): ReaderWorker | undefined {
    const ready = this.#threads.filter(({ isReady }) => isReady);
    return ready.sort((one, other) => one.load - other.load)[0];
  }
}

class ReaderWorker {
  isReady = false;
  /** The bytes of the chunks it has not finished. */
  load = 0;
  readonly #worker = new Worker(new URL("./reader-worker.ts", import.meta.url).href);
  /** In the order of the requests. */
  #awaited: PromiseWithResolvers<ReadResponse>[] = [];
  #failure: Error | undefined;

  constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<ReadResponse | "ready">) => {
      if (data === "ready") this.isReady = true;
      else this.#awaited.shift()!.resolve(data);
    };
    this.#worker.onerror = ({ message }) =>
      this.#fail(new Error(`a reader thread failed: ${message}`));
  }

  async read(request: ReadRequest): Promise<ReadResponse> {
    if (this.#failure) throw this.#failure;
    const awaited = Promise.withResolvers<ReadResponse>();
    this.#awaited.push(awaited);
    this.load += request.chunk.size;
    this.#worker.postMessage(request);
    try {
      return await awaited.promise;
    } finally {
      this.load -= request.chunk.size;
    }
  }

  stop(): void {
    this.#worker.terminate();
    this.#fail(new Error("the reader threads were stopped"));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#awaited) reject(error);
    this.#awaited = [];
  }
}
