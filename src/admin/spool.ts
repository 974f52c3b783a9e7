/**
 * In charge of text that is written faster than it is read: it waits in a file that has no name, so
 * that it takes no memory, holds up nobody, and is gone with the process.
 */

import { randomUUID } from "node:crypto";
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";

const PIECE_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

export class Spool {
  readonly #file: number;
  #written = 0;
  #read = 0;
  #last: string | undefined;
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(folder: string) {
    const path = join(folder, `.spool-${randomUUID()}`);
    this.#file = openSync(path, "wx+", 0o600);
    unlinkSync(path);
  }

  /** Bytes that wait to be read. */
  get unread(): number {
    return this.#written - this.#read;
  }

  append(text: string): void {
    if (this.#isClosed) return;
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(this.#file, bytes, at, bytes.length - at, this.#written + at);
    }
    this.#written += bytes.length;
    this.#wakeReader();
  }

  /** Nothing comes after this text. It needs no room in the file: the disk may be full. */
  end(text: string): void {
    if (this.#isClosed) return;
    this.#last = text;
    this.#wakeReader();
  }

  /** Whatever is still unread is dropped, and this text comes instead. */
  cutShort(text: string): void {
    if (this.#isClosed) return;
    this.close();
    this.#last = text;
  }

  /** The next piece, once there is one; undefined after the last. */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (!this.#isClosed && this.#read < this.#written) return this.#piece();
      if (this.#last !== undefined) {
        const last = Buffer.from(this.#last);
        this.#last = undefined;
        this.close();
        return last;
      }
      if (this.#isClosed) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The file is gone, with what is unread. What is appended from now on is dropped. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#last = undefined;
    closeSync(this.#file);
    this.#wakeReader();
  }

  /** Whole lines, so that what comes instead of the rest stands on a line of its own. */
  #piece(): Uint8Array {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, this.unread));
    const found = piece.subarray(0, readSync(this.#file, piece, 0, piece.length, this.#read));
    const length = found.lastIndexOf(NEWLINE) + 1 || found.length;
    this.#read += length;
    // Whoever keeps up takes no room on the disk.
    if (this.#read === this.#written) {
      ftruncateSync(this.#file, 0);
      this.#read = 0;
      this.#written = 0;
    }
    return found.subarray(0, length);
  }

  #wakeReader(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
