/** Copies an SQLite file while other processes read and write it. */

import { Database } from "bun:sqlite";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import type { CopyRequest, CopyResponse } from "./copy-worker.ts";

const LOOK_MS = 200;

/**
 * Copies one consistent state of `from` into the empty file `to`. Writers of `from` continue, but cannot empty its WAL
 * meanwhile. `onProgress` gets the bytes written so far.
 */
export async function copySqlite(
  from: string,
  to: string,
  onProgress: (bytes: number) => void,
): Promise<void> {
  // In a thread: the one statement that copies would keep the progress from being shown.
  const thread = new Worker(new URL("./copy-worker.ts", import.meta.url).href);
  const end = Promise.withResolvers<void>();
  thread.onmessage = ({ data }: MessageEvent<CopyResponse>) => {
    if (data === "done") end.resolve();
    else end.reject(Object.assign(new Error(data.message), { code: data.code }));
  };
  thread.onerror = ({ message }) => end.reject(new Error(`the copying thread failed: ${message}`));
  const look = setInterval(() => onProgress(statSync(to).size), LOOK_MS);
  try {
    thread.postMessage({ from, to } satisfies CopyRequest);
    await end.promise;
  } finally {
    clearInterval(look);
    thread.terminate();
  }
}

/**
 * Sets the mode in which Matchbook creates its files: in the mode of a copy, a long read would keep writers waiting.
 * Readers of the copy should come before, because they would leave a WAL beside it.
 */
export function switchToWal(path: string): void {
  const database = new Database(path, { readwrite: true, create: false });
  try {
    database.run("PRAGMA journal_mode = WAL");
  } finally {
    database.close();
  }
}

/** Where an SQLite file has its user version. */
const FORMAT_AT = 60;

/** The format of a file that nobody has open. */
export function formatIn(path: string): number {
  const file = openSync(path, "r");
  try {
    const format = Buffer.alloc(4);
    return readSync(file, format, 0, 4, FORMAT_AT) < 4 ? 0 : format.readUInt32BE();
  } finally {
    closeSync(file);
  }
}
