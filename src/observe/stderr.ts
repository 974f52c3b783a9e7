/** Writes log lines to standard error without ever waiting for its reader. */

import { write, writeSync } from "node:fs";

/** PIPE_BUF: writes up to this size to a pipe are atomic, even when several processes write to it. */
export const MAX_ATOMIC_BYTES = 4096;

/** How much is written at once when no other process writes to the log. */
const MAX_CHUNK_SIZE = 1 << 16;

/** The buffer for lines that are not written yet. When it is full, further lines are dropped. */
const MAX_WAITING_SIZE = 1 << 20;

/** Lines are collected for this long: a write for each request would cost as much as the request. */
const GATHER_MS = 100;
const DRAIN_MS = 2000;

const STANDARD_ERROR = 2;

/** Lines that are written at once. The size is in bytes if the log is shared, otherwise in characters. */
interface Chunk {
  text: string;
  size: number;
}

class StandardError {
  /** Lines dropped since the start. */
  dropped = 0;
  /** Whether other processes write to the same log. */
  isShared = false;
  readonly #waiting: Chunk[] = [];
  #waitingSize = 0;
  #isWriting = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopDraining: (() => void) | undefined;

  constructor() {
    process.on("exit", () => this.#writeLast());
  }

  get isTTY(): boolean {
    return process.stderr.isTTY === true;
  }

  /** Takes one line including its line feed. */
  write(line: string): void {
    if (this.#waitingSize >= MAX_WAITING_SIZE) {
      this.dropped += 1;
      return;
    }
    const size = this.isShared ? Buffer.byteLength(line) : line.length;
    this.#waitingSize += size;
    if (!this.#append(line, size)) {
      this.flush();
      this.#waiting.push({ text: line, size });
    }
    this.#timer ??= setTimeout(this.flush, GATHER_MS).unref();
  }

  /** Starts writing everything in the buffer. */
  readonly flush = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isWriting) this.#writeNext();
  };

  /**
   * The last call of a process: resolves when everything is written. What the reader does not take within
   * two seconds is lost, and the process exits here.
   */
  async end(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const deadline = setTimeout(resolve, DRAIN_MS);
    this.#stopDraining = resolve;
    this.flush();
    await promise;
    clearTimeout(deadline);
    // A pending write would keep the process alive.
    if (this.#isWriting) process.exit();
  }

  /** Returns false if the last chunk has no room for it. */
  #append(line: string, size: number): boolean {
    const last = this.#waiting.at(-1);
    const most = this.isShared ? MAX_ATOMIC_BYTES : MAX_CHUNK_SIZE;
    if (last === undefined || last.size + size > most) return false;
    last.text += line;
    last.size += size;
    return true;
  }

  #writeNext(): void {
    const chunk = this.#waiting.shift();
    this.#isWriting = chunk !== undefined;
    if (chunk) this.#writeBytes(Buffer.from(chunk.text), chunk.size);
    else this.#stopDraining?.();
  }

  /**
   * In a thread, because the write may block: on a paused terminal, or on a full pipe, unless a process that
   * shares the pipe has made it non-blocking. Bun does so when process.stderr is used; Node.js undoes it.
   */
  #writeBytes(bytes: Buffer, size: number): void {
    write(STANDARD_ERROR, bytes, (error, written) => {
      if (error) {
        this.#retry(bytes, size, error);
        return;
      }
      if (written < bytes.length) {
        this.#writeBytes(bytes.subarray(written), size);
        return;
      }
      this.#waitingSize -= size;
      this.#isWriting = false;
      // While the timer runs, the last chunk is still being filled.
      if (this.#waiting.length > 1 || this.#timer === undefined) this.flush();
    });
  }

  #retry(bytes: Buffer, size: number, { code }: NodeJS.ErrnoException): void {
    const isFull = code === "EAGAIN";
    // Otherwise the disk is full or the reader is gone. Keep trying, but do not delay the exit.
    if (!isFull) this.#stopDraining?.();
    setTimeout(() => this.#writeBytes(bytes, size), isFull ? 5 : 100).unref();
  }

  /** Called on exit: after a crash, the last lines are the ones that matter. */
  #writeLast(): void {
    const [chunk] = this.#waiting;
    if (!chunk || this.#isWriting) return;
    try {
      writeSync(STANDARD_ERROR, chunk.text);
    } catch {
      // There is no reader.
    }
  }
}

/** The log output of this process. */
export const standardError = new StandardError();
