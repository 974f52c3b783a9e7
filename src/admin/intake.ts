/**
 * In charge of the body of an upload as it comes in: no larger than allowed, no slower than bearable,
 * and to be ended from outside.
 */

import { type Broken, BrokenUpload, CONNECTION_CUT, stalled, tooLarge } from "./broken.ts";

export interface IntakeLimits {
  /** The most bytes of a body. */
  most: number;
  /** Milliseconds without a single byte after which a sender is given up. */
  patienceMs: number;
}

/** What is needed of a stream's reader: those of Bun and of Node differ in the rest. */
interface BodyReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

export class Intake {
  readonly #reader: BodyReader | undefined;
  readonly #limits: IntakeLimits;
  #size = 0;
  #broken: BrokenUpload | undefined;
  /** Ends the wait for the next bytes. */
  #interrupt: ((broken: BrokenUpload) => void) | undefined;

  constructor(body: ReadableStream<Uint8Array> | null, limits: IntakeLimits) {
    this.#reader = body?.getReader();
    this.#limits = limits;
  }

  /** Bytes so far, as they were sent. */
  get size(): number {
    return this.#size;
  }

  /** The next bytes; undefined after the last. Throws BrokenUpload. */
  async next(): Promise<Uint8Array | undefined> {
    if (this.#broken) throw this.#broken;
    const bytes = await this.#read();
    if (bytes === undefined) return undefined;
    const room = this.#limits.most - this.#size;
    this.#size += bytes.length;
    if (bytes.length <= room) return bytes;
    this.break(tooLarge(this.#limits.most));
    return bytes.subarray(0, room);
  }

  /** Nothing more is read. Only the first reason counts. */
  break(broken: Broken): void {
    this.#broken ??= new BrokenUpload(broken);
    this.#interrupt?.(this.#broken);
  }

  /** Lets go of the rest of the body, if there is any: the runtime throws it away. */
  async release(): Promise<void> {
    try {
      await this.#reader?.cancel();
    } catch {
      // The connection is gone, and the body with it.
    }
  }

  async #read(): Promise<Uint8Array | undefined> {
    if (!this.#reader) return undefined;
    const read = this.#reader.read();
    const { patienceMs } = this.#limits;
    const timer = setTimeout(() => this.break(stalled(patienceMs)), patienceMs);
    try {
      const { done, value } = await new Promise<Awaited<typeof read>>((resolve, reject) => {
        this.#interrupt = reject;
        read.then(resolve, () => reject(new BrokenUpload(CONNECTION_CUT)));
      });
      return done ? undefined : value;
    } finally {
      clearTimeout(timer);
      this.#interrupt = undefined;
    }
  }
}
