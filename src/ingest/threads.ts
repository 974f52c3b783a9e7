/** In charge of the reading threads of an ingest: when they are started, and who reads which parcel. */

import type { Parcel } from "./parcels.ts";
import {
  type Arrival,
  type DocumentContent,
  type ParcelContext,
  type ReadParcel,
  readHere,
  type Wanted,
} from "./reading.ts";
import { readDocument } from "./records.ts";
import {
  type Delivery,
  type Order,
  type PackedKept,
  unpackContents,
  unpackKept,
} from "./transit.ts";

/** So much is read here first: most ingests are over before a thread would be ready. */
const HEAD_START_BYTES = 2 << 20;

/**
 * What may be under way in the threads. They go on with it while a batch is being stored, so that it
 * must be enough for that time; and it is what ingest takes in memory beside the batch.
 */
const UNDER_WAY_BYTES = 8 << 20;

/** Reads parcels in threads once there is enough to read, and in this thread otherwise. */
export class Readers {
  readonly #here: ReadParcel;
  #threads: Thread[] = [];
  #bytes = 0;
  /** Whether threads keep records without being asked: they need not wait for the answer then. */
  #mostlyWanted = true;

  constructor(
    private readonly context: ParcelContext,
    private readonly count: number,
  ) {
    this.#here = readHere(context);
  }

  read: ReadParcel = (parcel, wanted) => {
    this.#bytes += parcel.bytes.length;
    if (this.#threads.length === 0 && this.#bytes > HEAD_START_BYTES) this.#start();
    const thread = this.#leastBusy();
    if (!thread) return this.#here(parcel, wanted);
    return thread.read(parcel, (arrivals) => this.#notice(wanted(arrivals)), this.#mostlyWanted);
  };

  /** As it was with the latest parcel, so it will mostly be with the next. */
  async #notice(wanted: ReturnType<Wanted>): Promise<boolean[]> {
    const answers = await wanted;
    this.#mostlyWanted = 2 * answers.filter(Boolean).length >= answers.length;
    return answers;
  }

  /** How many bytes of parcels may be under way. In this thread, one parcel is read at a time. */
  get room(): number {
    return this.#leastBusy() ? UNDER_WAY_BYTES : 0;
  }

  stop(): void {
    for (const thread of this.#threads) thread.stop();
    this.#threads = [];
  }

  #start(): void {
    this.#threads = Array.from({ length: this.count }, () => new Thread(this.context));
  }

  #leastBusy(): Thread | undefined {
    let best: Thread | undefined;
    for (const thread of this.#threads) {
      if (thread.isReady && !(best && best.load <= thread.load)) best = thread;
    }
    return best;
  }
}

type Settle = { resolve: (delivery: Delivery) => void; reject: (error: Error) => void };

class Thread {
  isReady = false;
  /** The bytes of the parcels it has not finished. */
  load = 0;
  readonly #worker: Worker;
  readonly #awaited = new Map<number, Settle>();
  #count = 0;
  #failure: Error | undefined;

  constructor(private readonly context: ParcelContext) {
    this.#worker = new Worker(new URL("./reading-worker.ts", import.meta.url).href);
    this.#worker.onmessage = ({ data }: MessageEvent<Delivery>) => this.#receive(data);
    this.#worker.onerror = ({ message }) => this.#fail(new Error(`a reading thread: ${message}`));
    this.#worker.postMessage(context);
  }

  async read(parcel: Parcel, wanted: Wanted, keepAll: boolean): Promise<DocumentContent[]> {
    const number = ++this.#count;
    const size = parcel.bytes.length;
    this.load += size;
    try {
      const { failure: _, ...sent } = parcel;
      const order = { kind: "read", number, parcel: sent, keepAll } as const;
      const read = await this.#ask(order, [sent.bytes.buffer]);
      const documents = unpackContents(read);
      const arrivals = documents.flatMap((document) => document.arrivals);
      const answers = await wanted(arrivals);
      await this.#addKept(number, arrivals, answers, read.kept);
      const rejected = read.rejected.values();
      return documents.map(({ isRejected, arrivals: own }, at) => ({
        rejections: isRejected ? this.#rejections(parcel, at, rejected.next().value!) : [],
        arrivals: own,
      }));
    } finally {
      this.load -= size;
    }
  }

  async #addKept(
    number: number,
    arrivals: Arrival[],
    wanted: boolean[],
    all: PackedKept | undefined,
  ): Promise<void> {
    const packed = all ?? (await this.#ask({ kind: "keep", number, wanted }, [])).kept;
    const kept = unpackKept(packed).filter((_, at) => !all || wanted[at]);
    arrivals
      .filter((_, at) => wanted[at])
      .forEach((arrival, at) => {
        arrival.kept = kept[at];
      });
  }

  stop(): void {
    this.#worker.terminate();
    this.#fail(new Error("the reading threads were stopped"));
  }

  /** What a thread rejects is read once more, since reasons quote things that do not cross over. */
  #rejections({ source, now, documents }: Parcel, at: number, bytes: Uint8Array) {
    const { line, missing } = documents[at]!;
    const text = {
      line,
      bytes: missing === undefined ? Buffer.from(bytes.buffer) : undefined,
      ...(missing === undefined || missing === "too-long" ? {} : { fault: missing }),
    };
    return readDocument(text, source, { ...this.context, now }).rejections;
  }

  #ask<Kind extends Order["kind"]>(
    order: Order & { kind: Kind },
    transfer: ArrayBuffer[],
  ): Promise<Delivery & { kind: Answer[Kind] }> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#awaited.set(order.number, { resolve: resolve as Settle["resolve"], reject });
      this.#worker.postMessage(order, transfer);
    });
  }

  #receive(delivery: Delivery): void {
    if (delivery.kind === "ready") {
      this.isReady = true;
      return;
    }
    const settle = this.#awaited.get(delivery.number)!;
    this.#awaited.delete(delivery.number);
    settle.resolve(delivery);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#awaited.values()) reject(error);
    this.#awaited.clear();
  }
}

interface Answer {
  read: "read";
  keep: "kept";
}
