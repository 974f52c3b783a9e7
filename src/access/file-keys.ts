/** In charge of noticing when the file of keys changes, and of reading the live secrets from it. */

import type { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { openFile, pathOf } from "./file.ts";
import { readLiveSecrets } from "./keyring.ts";
import { KEYS_FILE } from "./keys-file.ts";
import type { KeySource, LiveSecret } from "./secrets.ts";

/** The file as it was read: which file it is and at which of its versions. */
interface Opened {
  inode: bigint;
  database: Database;
  version: number;
}

export class FileKeys implements KeySource {
  readonly #dataDir: string;
  #opened: Opened | undefined;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  changed(): LiveSecret[] | undefined {
    const inode = inodeOf(pathOf(KEYS_FILE, this.#dataDir));
    if (inode !== this.#opened?.inode) this.close();
    if (inode === undefined) return [];
    this.#opened ??= { inode, database: openFile(KEYS_FILE, this.#dataDir), version: -1 };

    // The version comes first: a change between the two readings is then read once more, not missed.
    const version = dataVersion(this.#opened.database);
    if (version === this.#opened.version) return undefined;
    const secrets = readLiveSecrets(this.#opened.database);
    this.#opened.version = version;
    return secrets;
  }

  close(): void {
    this.#opened?.database.close();
    this.#opened = undefined;
  }
}

/** Tells a file from another that took its place, as after a restore from a backup. */
function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** Changes whenever another connection commits to the file. */
function dataVersion(database: Database): number {
  return database.query<{ data_version: number }, []>("PRAGMA data_version").get()!.data_version;
}
