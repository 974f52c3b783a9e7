/** In charge of uploads in the thread that stores them: bytes in, result lines out. */

import { type IngestOptions, ingest } from "../ingest/ingest.ts";
import { emptyReport, type Report } from "../ingest/report.ts";
import { type Bytes, plainBytes } from "../ingest/source.ts";
import { StoreAway } from "../store/store.ts";
import { type Broken, BrokenUpload, damaged, SHARD_AWAY } from "./broken.ts";
import type { Message, Order, Stored, Wishes } from "./crossing.ts";
import { Results } from "./results.ts";

const SOURCE_NAME = "the upload";

export interface StoringOptions
  extends Pick<IngestOptions, "keeper" | "clock" | "batch" | "threads"> {
  /** Which shard is asked for is up to each upload. */
  context: Omit<IngestOptions["context"], "shard">;
}

/** What concerns one upload. */
type UploadOrder = Extract<Order, { number: number }>;

export class Storing {
  readonly #feeds = new Map<number, Feed>();

  constructor(
    private readonly options: StoringOptions,
    private readonly say: (message: Message) => void,
  ) {}

  receive(order: UploadOrder): void {
    const { number } = order;
    if (order.kind === "begin") void this.#store(number, order.wishes);
    else if (order.kind === "bytes") this.#feeds.get(number)?.give(order.bytes);
    else if (order.kind === "end") this.#feeds.get(number)?.give(undefined);
    else this.#feeds.get(number)?.break(order.broken);
  }

  async #store(number: number, wishes: Wishes): Promise<void> {
    const feed = new Feed(() => this.say({ kind: "more", number }));
    this.#feeds.set(number, feed);
    const results = new Results((text) => this.say({ kind: "lines", number, text }));
    const stored = await store(
      plainBytes(feed, () => {}),
      results,
      wishes,
      this.options,
    );
    this.#feeds.delete(number);
    results.end();
    this.say({ kind: "done", number, stored });
  }
}

/** Takes in what comes and tells of it, to the end or to where it breaks off. Never throws. */
async function store(
  bytes: Bytes,
  results: Results,
  { shard, replace }: Wishes,
  { context, ...options }: StoringOptions,
): Promise<Stored> {
  let report: Report = emptyReport();
  let broken: Broken | undefined;
  try {
    report = await ingest([{ name: SOURCE_NAME, bytes }], {
      ...options,
      context: { ...context, shard },
      replace,
      onRejection: (rejection, place) => results.rejected(rejection, place),
      onConflict: () => {},
      onOutcome: (record, outcome) => results.settled(record, outcome),
      onProgress: (soFar) => {
        report = soFar;
        results.flush();
      },
      onBreak: (error, fault) => {
        broken = error instanceof BrokenUpload ? error.broken : damaged(fault);
      },
    });
    return broken ? { report, broken } : { report };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return error instanceof StoreAway ? { report, broken: SHARD_AWAY, error } : { report, error };
  }
}

/** The bytes of an upload, each piece asked for when it is needed. */
class Feed implements AsyncIterable<Uint8Array> {
  #awaited: PromiseWithResolvers<Uint8Array | undefined> | undefined;

  constructor(private readonly ask: () => void) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (let bytes = await this.#next(); bytes; bytes = await this.#next()) yield bytes;
  }

  /** Undefined: there is no more. */
  give(bytes: Uint8Array | undefined): void {
    this.#awaited?.resolve(bytes);
  }

  break(broken: Broken): void {
    this.#awaited?.reject(new BrokenUpload(broken));
  }

  #next(): Promise<Uint8Array | undefined> {
    this.#awaited = Promise.withResolvers();
    this.ask();
    return this.#awaited.promise;
  }
}
