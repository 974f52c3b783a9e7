/** The thread that stores uploads, so that requests never wait for a transaction, and says what is wrong with a body. */

import { unexpectedError } from "./admin/errors.ts";
import type {
  BodyMessage,
  NotStored,
  StoreMessage,
  ThreadCommand,
  UploadOptions,
  UploadResult,
  UploadSettings,
} from "./admin/upload-thread.ts";
import { ingest, ingestOptions } from "./ingest/ingest.ts";
import { oneLine } from "./ingest/reject-reasons.ts";
import { emptyReport } from "./ingest/report.ts";
import { type Bytes, plainBytes } from "./ingest/source.ts";
import { unobserved } from "./observe/events.ts";
import { openShards } from "./open-stores.ts";
import type { Shards } from "./store/shards.ts";

declare const self: Worker;

/** Per shard. More is hardly faster, and the server would need it for every shard. */
const CACHE_KIB = 8 * 1024;

/** Less than on the command line, to save memory. */
const MAX_BATCH = 500;

/** Two cores are for the server and for this thread. */
const READING_THREADS = Math.max(0, Math.min(navigator.hardwareConcurrency - 2, 2));

/** Maximum size of the list of records that were not stored, as JSON. */
const MAX_LIST_BYTES = 8 << 20;

let shards: Shards;

self.onmessage = async ({ data: command }: MessageEvent<ThreadCommand>) => {
  if (command.kind === "close") {
    await shards.close();
    self.postMessage("closed");
    return;
  }
  const { port, settings, options } = command;
  shards ??= openShards(settings, unobserved, CACHE_KIB);
  const send = (message: StoreMessage) => port.postMessage(message);
  send(await store(bodyFrom(port, send), settings, options));
};

/** Ends a source early. It has a code, like the errors of files. */
class Stopped extends Error {
  readonly code = "ESTOPPED";
}

/** The body that comes through a port. Each chunk is requested when it is needed. */
function bodyFrom(port: MessagePort, send: (message: StoreMessage) => void): Bytes {
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) =>
    new Promise<void>((resolve) => {
      port.onmessage = ({ data: message }: { data: BodyMessage }) => {
        if (message === "stop") controller.error(new Stopped());
        else if (message === "end") controller.close();
        else controller.enqueue(message.bytes);
        resolve();
      };
      send("next");
    });
  return new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 }) as unknown as Bytes;
}

/** Stores the records, to the end of the body or to where it stops. Never throws. */
async function store(
  body: Bytes,
  settings: UploadSettings,
  { shard, replace, existing }: UploadOptions,
): Promise<UploadResult> {
  let report = emptyReport();
  let error: UploadResult["error"];
  let cause: Error | undefined;
  const notStored: NotStored[] = [];
  let listBytes = 0;
  const list = (entry: NotStored) => {
    if (listBytes <= MAX_LIST_BYTES) listBytes += Buffer.byteLength(JSON.stringify(entry));
    if (listBytes <= MAX_LIST_BYTES) notStored.push(entry);
  };
  const { maxBytes } = settings;
  let plainTotal = 0;
  async function* withinLimits(bytes: Bytes): Bytes {
    for await (const chunk of bytes) {
      plainTotal += chunk.length;
      if (listBytes > MAX_LIST_BYTES || plainTotal > maxBytes) throw new Stopped();
      yield chunk;
    }
  }
  const bytes = withinLimits(plainBytes(body, () => {}));
  try {
    await ingest([{ name: "the upload", bytes }], {
      ...ingestOptions(settings, shards, shard),
      writer: (id) => shards.writer(id, existing.includes(id)),
      batch: Math.min(settings.batch, MAX_BATCH),
      threads: READING_THREADS,
      replace,
      onRejection: ({ origin, problems, document }) => {
        const { id } = (document?.data ?? {}) as { id?: unknown };
        const shown = typeof id === "string" ? oneLine(id.slice(0, 64)) : undefined;
        list({ line: origin.line, id: shown, outcome: "rejected", problems });
      },
      onConflict: (id, inShard, { line }) =>
        list({ line, id, shard: inShard, outcome: "conflict" }),
      onProgress: (soFar) => {
        report = soFar;
      },
      onBreak: (reason, fault) => {
        if (!(reason instanceof Stopped)) error = damaged(fault);
      },
    });
    if (listBytes > MAX_LIST_BYTES) error ??= LIST_FULL;
    else if (plainTotal > maxBytes) error ??= tooLarge(maxBytes);
  } catch (thrown) {
    cause = thrown instanceof Error ? thrown : new Error(String(thrown));
    const { code, message } = unexpectedError(cause);
    error = { code, message };
  }
  // Rejections are found before the records around them are stored.
  notStored.sort((one, other) => one.line - other.line);
  return { report, notStored, error, cause };
}

const damaged = (fault: string) =>
  ({ code: "body-damaged", message: `The rest of the body cannot be read: ${fault}.` }) as const;

const tooLarge = (maxBytes: number) =>
  ({
    code: "body-too-large",
    message: `The body is larger than ${maxBytes} bytes when it is decompressed (256 times max-record-bytes): send it in parts.`,
  }) as const;

const LIST_FULL = {
  code: "too-many-rejected",
  message: `The list of records that were not stored exceeds ${MAX_LIST_BYTES >> 20} MiB: fix those in notStored, which has the start of the list, and send the body again.`,
} as const;
