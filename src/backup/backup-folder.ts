/**
 * The folder of a backup that is being made. Files get their names when they are complete, and the manifest comes last:
 * a folder without one is not a backup.
 */

import {
  closeSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { makeFolder, syncFile, syncFolder } from "../durable-files.ts";
import { sha256Of } from "./files.ts";
import { BackupError, MANIFEST, type Manifest } from "./manifest.ts";

export class BackupFolder {
  /** The names of the files in it. */
  readonly #created = new Set<string>();

  /** Throws BackupError if the folder has files. */
  constructor(readonly path: string) {
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) {
      throw new BackupError(`${path} is a file: choose a new folder`);
    }
    makeFolder(path);
    if (readdirSync(path).length > 0) {
      throw new BackupError(
        `${path} is not empty: choose a new folder for each backup, e.g. with the date in its name`,
      );
    }
  }

  /** The path of a new, empty file, which becomes `name` when it is complete. Only its owner can read it. */
  create(name: string): string {
    const draft = this.#draft(name);
    this.#created.add(name);
    closeSync(openSync(draft, "wx", 0o600));
    return draft;
  }

  /** Completes a file. */
  async keep(name: string): Promise<{ name: string; bytes: number; sha256: string }> {
    const draft = this.#draft(name);
    syncFile(draft);
    const sha256 = await sha256Of(draft);
    renameSync(draft, join(this.path, name));
    return { name, bytes: statSync(join(this.path, name)).size, sha256 };
  }

  /** Removes a file, unless it is complete. */
  drop(name: string): void {
    const draft = this.#draft(name);
    for (const path of [draft, `${draft}-wal`, `${draft}-shm`, `${draft}-journal`]) {
      rmSync(path, { force: true });
    }
  }

  /** Completes the backup. */
  async finish(manifest: Manifest): Promise<void> {
    // The files must have their names on the disk before there is a manifest.
    syncFolder(this.path);
    writeFileSync(this.create(MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    await this.keep(MANIFEST);
    syncFolder(this.path);
  }

  /** Removes all files, so that the folder can be used again. */
  discard(): void {
    for (const name of this.#created) {
      this.drop(name);
      rmSync(join(this.path, name), { force: true });
    }
  }

  #draft(name: string): string {
    return join(this.path, `${name}.partial`);
  }
}
