/** In charge of the storing thread as seen from the one that serves: its start, its uploads, its end. */

import { BrokenUpload, CONNECTION_CUT } from "./broken.ts";
import type { Message, Order, Stored, StoringSettings, Wishes } from "./crossing.ts";
import type { Intake } from "./intake.ts";

/** After so long without an upload, the thread and its memory are given back. */
const KEPT_MS = 30_000;

export interface ThreadOptions {
  /** A thread that runs src/upload-worker.ts. */
  open: () => Worker;
  settings: StoringSettings;
  /** How many further threads read records for each upload. */
  threads: number;
}

interface Job {
  intake: Intake;
  onLines: (text: string) => void;
  resolve: (stored: Stored) => void;
  reject: (error: Error) => void;
}

export class UploadThread {
  readonly #options: ThreadOptions;
  readonly #jobs = new Map<number, Job>();
  #worker: Worker | undefined;
  #count = 0;
  #closed: PromiseWithResolvers<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Stores what comes in; rejects when the thread itself ends. Lines are of what is durable. */
  store(wishes: Wishes, intake: Intake, onLines: (text: string) => void): Promise<Stored> {
    clearTimeout(this.#timer);
    this.#worker ??= this.#start();
    const number = ++this.#count;
    return new Promise<Stored>((resolve, reject) => {
      this.#jobs.set(number, { intake, onLines, resolve, reject });
      this.#send({ kind: "begin", number, wishes });
    }).finally(() => {
      this.#jobs.delete(number);
      if (this.#jobs.size === 0) this.#timer = setTimeout(() => this.close(), KEPT_MS).unref();
    });
  }

  /** Ends the thread, which must have nothing to do. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    if (!worker) return;
    this.#worker = undefined;
    this.#closed = Promise.withResolvers();
    worker.postMessage({ kind: "close" } satisfies Order);
    await this.#closed.promise;
    worker.terminate();
  }

  #start(): Worker {
    const { open, settings, threads } = this.#options;
    const worker = open();
    worker.onmessage = ({ data }: MessageEvent<Message>) => this.#receive(data);
    worker.onerror = ({ message }) => this.#fail(worker, `the storing thread failed: ${message}`);
    worker.addEventListener("close", () => this.#fail(worker, "the storing thread ended"));
    worker.postMessage({ kind: "settings", settings, threads } satisfies Order);
    return worker;
  }

  #receive(message: Message): void {
    if (message.kind === "closed") {
      this.#closed?.resolve();
      return;
    }
    const { number } = message;
    const job = this.#jobs.get(number);
    if (!job) return;
    if (message.kind === "lines") job.onLines(message.text);
    else if (message.kind === "done") job.resolve(message.stored);
    else void this.#feed(number, job.intake);
  }

  async #feed(number: number, intake: Intake): Promise<void> {
    try {
      const bytes = await intake.next();
      if (bytes === undefined) this.#send({ kind: "end", number });
      else this.#send({ kind: "bytes", number, bytes });
    } catch (error) {
      const broken = error instanceof BrokenUpload ? error.broken : CONNECTION_CUT;
      this.#send({ kind: "break", number, broken });
    }
  }

  #send(order: Order): void {
    this.#worker?.postMessage(order);
  }

  /** A thread that failed is not used again; the next upload starts another. */
  #fail(worker: Worker, message: string): void {
    this.#closed?.resolve();
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    worker.terminate();
    for (const { reject } of this.#jobs.values()) reject(new Error(message));
  }
}
