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
import { Readable, type Transform } from "node:stream";
import { constants, createGzip, createZstdCompress } from "node:zlib";
import { syncFolder, writeAll } from "../durable-files.ts";
import { UsageError, write } from "./command.ts";

/** Exit codes of a process that a signal ended, as shells report them. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const chunkSize = 256 * 1024;

/** What compresses a file with this suffix. */
const COMPRESSIONS: Record<string, () => Transform> = {
  ".gz": () => createGzip({ chunkSize }),
  // With a checksum, so that damage is noticed as in gzip.
  ".zst": () => createZstdCompress({ chunkSize, params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
};

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

  /**
   * The file appears when everything is on the disk, compressed if its name ends with .gz or .zst. If anything fails, or on
   * a signal, nothing is left. Returns its size.
   */
  async write(chunks: AsyncIterable<Uint8Array>): Promise<number> {
    let isMine = false;
    let size = 0;
    const undo = () => {
      if (isMine) unlinkSync(this.#partial);
      isMine = false;
    };
    const release = onSignals(undo);
    try {
      const file = openSync(this.#partial, this.mayReplace ? "w" : "wx", 0o600);
      isMine = true;
      try {
        for await (const chunk of compressed(chunks, this.path)) {
          size += chunk.length;
          writeAll(file, chunk);
        }
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
    return size;
  }
}

async function* compressed(
  plain: AsyncIterable<Uint8Array>,
  path: string,
): AsyncGenerator<Uint8Array> {
  const suffix = Object.keys(COMPRESSIONS).find((one) => path.endsWith(one));
  if (suffix === undefined) {
    yield* plain;
    return;
  }
  const source = Readable.from(plain);
  const packer = COMPRESSIONS[suffix]!();
  source.on("error", (error) => packer.destroy(error));
  try {
    yield* source.pipe(packer);
  } finally {
    source.destroy();
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

/** Waits for the reader. If it closes the pipe, the process ends (main.ts). Returns the number of bytes. */
export async function writeToStdout(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    await write(chunk);
  }
  return size;
}
