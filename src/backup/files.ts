/** Hashes and copies files. */

import { createReadStream, createWriteStream, linkSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { syncFile, syncFolder } from "../durable-files.ts";

const READ_BYTES = 1024 * 1024;

/** In hexadecimal. */
export async function sha256Of(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) {
    hash.update(chunk);
  }
  return hash.digest("hex");
}

/** Overwrites `to`. Only its owner can read it. */
export async function copyFile(from: string, to: string): Promise<void> {
  await pipeline(
    createReadStream(from, { highWaterMark: READ_BYTES }),
    createWriteStream(to, { mode: 0o600 }),
  );
  syncFile(to);
}

/** Gives a file its final name, and never overwrites: throws EEXIST. */
export function publish(draft: string, path: string): void {
  // Unlike a renaming, which overwrites.
  linkSync(draft, path);
  unlinkSync(draft);
  syncFolder(dirname(path));
}
