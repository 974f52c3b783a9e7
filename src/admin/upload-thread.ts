/**
 * Passes the bodies of uploads to the thread that stores their records (src/upload-worker.ts). A chunk is read
 * from the connection when that thread requests it, so a sender is as fast as its records are stored, and at
 * most one chunk of each upload is in memory here.
 */

import type { Report } from "../ingest/report.ts";
import type { Settings } from "../settings/definitions.ts";
import { AdminError } from "./errors.ts";

/** The settings that the thread needs: plain values, which can be cloned. */
export type UploadSettings = Pick<
  Settings,
  "data" | "shards" | "batch" | "title-id" | "max-record-bytes"
> & { maxBytes: number };

export interface UploadOptions {
  /** The shard of records without one; records of other shards are rejected. */
  shard: string | undefined;
  replace: boolean;
  /** The shards that the server knows, whose files must not be created. */
  existing: string[];
}

/** To the thread. Each upload has its own port; "close" is sent when there are none. */
export type ThreadCommand =
  | { kind: "begin"; settings: UploadSettings; options: UploadOptions; port: MessagePort }
  | { kind: "close" };

/** Through the port, to the thread: a chunk, the end of the body, or that the rest is not sent. */
export type BodyMessage = { bytes: Uint8Array } | "end" | "stop";

/** Through the port, from the thread: a request for the next chunk, or the result. */
export type StoreMessage = "next" | UploadResult;

export interface UploadResult {
  /** Everything it counts is durable. Undefined when the thread failed. */
  report: Report | undefined;
  notStored: NotStored[];
  /** The error in the thread, if any: for the client, and its cause for the log. */
  error?: Pick<AdminError, "code" | "message"> | undefined;
  cause?: Error | undefined;
}

/** A record that is not in its shard. */
export interface NotStored {
  /** The line of the body on which its document begins. */
  line: number;
  id?: string | undefined;
  shard?: string;
  outcome: "rejected" | "conflict";
  problems?: string[];
}

/** Each takes its own memory, and all wait for the same writer. */
const MAX_UPLOADS = 2;
/** How many records of the maximum size an upload may have room for. */
const MAX_UPLOAD_RECORDS = 256;

export class UploadThread {
  readonly #settings: UploadSettings;
  readonly #uploads = new Set<Upload>();
  #worker: Worker | undefined;
  #isStopping = false;

  constructor(
    private readonly open: () => Worker,
    settings: Settings,
  ) {
    const { data, shards, batch, "title-id": title, "max-record-bytes": longest } = settings;
    const plain = { data, shards, batch, "title-id": title, "max-record-bytes": longest };
    this.#settings = { ...plain, maxBytes: MAX_UPLOAD_RECORDS * longest };
  }

  /** Resolves when everything that was read is stored. Throws AdminError if it cannot begin. */
  async store(request: Request, options: UploadOptions): Promise<UploadResult & { bytes: number }> {
    const { maxBytes } = this.#settings;
    if (Number(request.headers.get("content-length")) > maxBytes) throw tooLarge(maxBytes);
    if (this.#isStopping) throw STOPPING;
    if (this.#uploads.size >= MAX_UPLOADS) throw BUSY;
    this.#worker ??= this.#start();
    const { port1, port2: port } = new MessageChannel();
    const upload = new Upload(request, maxBytes, port1);
    this.#uploads.add(upload);
    const command: ThreadCommand = { kind: "begin", settings: this.#settings, options, port };
    this.#worker.postMessage(command, [port]);
    const result = await upload.result;
    this.#uploads.delete(upload);
    return { ...result, error: result.error ?? upload.stopped, bytes: upload.bytes };
  }

  /** Stops reading; resolves once everything that was read is stored. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const upload of this.#uploads) upload.stop(STOPPING);
    await Promise.all([...this.#uploads].map(({ result }) => result));
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker) await close(worker);
  }

  #start(): Worker {
    const worker = this.open();
    worker.onerror = ({ message }) => this.#fail(worker, `the upload thread failed: ${message}`);
    worker.addEventListener("close", () => this.#fail(worker, "the upload thread ended"));
    return worker;
  }

  /** A thread that failed is not used again; the next upload starts another. */
  #fail(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    worker.terminate();
    const cause = new Error(reason);
    for (const upload of this.#uploads) {
      upload.finish({ report: undefined, notStored: [], error: THREAD_FAILED, cause });
    }
  }
}

async function close(worker: Worker): Promise<void> {
  const closed = Promise.withResolvers<void>();
  worker.onmessage = () => closed.resolve();
  worker.addEventListener("close", () => closed.resolve());
  const command: ThreadCommand = { kind: "close" };
  worker.postMessage(command);
  await closed.promise;
  worker.terminate();
}

/** What the readers of Bun and of Node have in common. */
interface BodyReader {
  read(): Promise<{ value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** One upload on its way to the thread. */
class Upload {
  /** As sent, before decompression. */
  bytes = 0;
  /** Why the rest of the body is not read, if so. */
  stopped: AdminError | undefined;
  readonly #result = Promise.withResolvers<UploadResult>();
  readonly result = this.#result.promise;
  readonly #reader: BodyReader | undefined;
  #isComplete = false;

  constructor(
    { body, signal }: Request,
    private readonly maxBytes: number,
    private readonly port: MessagePort,
  ) {
    this.#reader = body?.getReader();
    signal.addEventListener("abort", () => this.stop(CONNECTION_CUT));
    port.onmessage = ({ data }: { data: StoreMessage }) => {
      if (data === "next") void this.#sendChunk();
      else this.finish(data);
    };
  }

  /** Stops reading the body; what was read is stored. Only the first reason counts. */
  stop(reason: AdminError): void {
    if (this.stopped || this.#isComplete) return;
    this.stopped = reason;
    this.#send("stop");
  }

  finish(result: UploadResult): void {
    this.port.close();
    this.#result.resolve(result);
    // The runtime discards what was not read. It fails if the connection is closed.
    this.#reader?.cancel().catch(() => {});
  }

  async #sendChunk(): Promise<void> {
    const { maxBytes } = this;
    try {
      const bytes = (await this.#reader?.read())?.value;
      if (this.stopped) return;
      const room = maxBytes - this.bytes;
      this.bytes += bytes?.length ?? 0;
      this.#isComplete = bytes === undefined;
      this.#send(bytes ? { bytes: bytes.subarray(0, room) } : "end");
      if (this.bytes > maxBytes) this.stop(tooLarge(maxBytes));
    } catch {
      this.stop(CONNECTION_CUT);
    }
  }

  #send(message: BodyMessage): void {
    this.port.postMessage(message);
  }
}

const BUSY = new AdminError(
  "uploads-busy",
  `${MAX_UPLOADS} uploads are in progress: retry when one has ended.`,
);
const STOPPING = new AdminError(
  "stopping",
  "The server is shutting down: send the body again later.",
);
const CONNECTION_CUT = new AdminError(
  "connection-cut",
  "The connection was closed before the end of the body: send it again.",
);
const THREAD_FAILED = new AdminError(
  "internal-error",
  "An internal error stopped the upload, and it is unknown how much was stored: see the log, and send the body again.",
);

function tooLarge(maxBytes: number): AdminError {
  return new AdminError(
    "body-too-large",
    `The body is larger than ${maxBytes} bytes (256 times max-record-bytes): send it in parts.`,
  );
}
