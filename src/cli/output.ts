/** Writes the output of commands: to a file that appears only when it is complete, or to standard output. */

import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { dirname } from "node:path";
import { syncFolder, writeAll } from "../durable-files.ts";
import { UsageError } from "./command.ts";

/** Exit codes of a process that a signal ended, as shells report them. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export class OutputFile {
  readonly #partial: string;

  /** Throws UsageError if the file exists, unless it may be replaced. */
  constructor(
    private readonly path: string,
    private readonly mayReplace: boolean,
  ) {
    this.#partial = `${path}.partial`;
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && !found.isFile()) {
      throw new UsageError(`${path} is not a regular file: choose another, or use standard output`);
    }
    if (mayReplace) return;
    if (found) {
      throw new UsageError(`${path} exists: choose another file, or replace it with --force`);
    }
    if (lstatSync(this.#partial, { throwIfNoEntry: false })) {
      throw new UsageError(
        `${this.#partial} exists: another command is writing ${path}, or one was killed; wait for it, or replace it with --force`,
      );
    }
  }

  /** The file appears when everything is on the disk. If anything fails, or on a signal, nothing is left. */
  async write(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    let isMine = false;
    const undo = () => {
      if (isMine) unlinkSync(this.#partial);
      isMine = false;
    };
    const release = onSignals(undo);
    try {
      const file = openSync(this.#partial, this.mayReplace ? "w" : "wx", 0o600);
      isMine = true;
      try {
        for await (const chunk of chunks) writeAll(file, chunk);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(this.#partial, this.path);
      isMine = false;
      syncFolder(dirname(this.path));
    } finally {
      undo();
      release();
    }
  }
}

function onSignals(undo: () => void): () => void {
  const handlers = Object.entries(SIGNALS).map(([signal, code]) => {
    const end = () => {
      undo();
      process.exit(code);
    };
    process.once(signal, end);
    return [signal, end] as const;
  });
  return () => {
    for (const [signal, end] of handlers) process.off(signal, end);
  };
}

/** Waits for the reader. If it closes the pipe, the process ends (main.ts). */
export async function writeToStdout(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) {
    await new Promise<void>((resolve) => process.stdout.write(chunk, () => resolve()));
  }
}
