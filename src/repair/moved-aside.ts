/** The list of what could not be restored: one JSON object per line, with the bytes that are left. */

import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { formatTimestamp } from "../domain/time.ts";
import { makeFolder, syncFolder, writeAll } from "../durable-files.ts";

export interface MovedAside {
  table: string | undefined;
  row?: number;
  page?: number;
  id?: string | undefined;
  createdAt?: number | undefined;
  why: string;
  /** What is left, in base64: the match, and the players and teams in its record; or a page of the file. */
  encoded?: Uint8Array | undefined;
  snapshot?: Uint8Array | undefined;
  bytes?: Uint8Array | undefined;
}

export class MovedAsideFile {
  #file: number | undefined;

  /** The file is created with the first line. One that an interrupted run has left is replaced. */
  constructor(readonly path: string) {
    rmSync(path, { force: true });
  }

  get isEmpty(): boolean {
    return this.#file === undefined;
  }

  add(one: MovedAside): void {
    this.#file ??= this.#create();
    const { table, page, row, id, createdAt, why, encoded, snapshot, bytes } = one;
    const line = {
      id,
      createdAt: createdAt === undefined ? undefined : timeText(createdAt),
      table,
      page,
      row,
      why,
      ...(encoded && { encoded: base64(encoded) }),
      ...(snapshot && { snapshot: base64(snapshot) }),
      ...(bytes && { bytes: base64(bytes) }),
    };
    writeAll(this.#file, `${JSON.stringify(line)}\n`);
  }

  #create(): number {
    // There may be no data folder yet if all shards are in PostgreSQL.
    makeFolder(dirname(this.path));
    // Only for its owner: records have personal data.
    return openSync(this.path, "w", 0o600);
  }

  /** Gives the file its final name. */
  keepAs(path: string): void {
    fsyncSync(this.#file!);
    renameSync(this.path, path);
    syncFolder(dirname(path));
  }

  /** Removes the file, unless it was kept. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    rmSync(this.path, { force: true });
  }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

/** A damaged time may be none. */
const timeText = (time: number) =>
  Number.isNaN(new Date(time).getTime()) ? time : formatTimestamp(time);
