/**
 * Records that a shard is damaged, in a file beside its own, so that all processes stop to serve it, also after a
 * restart. It is about one file: if that is replaced, the record does not apply any more.
 */

import {
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { type DamagedData, DamagedShard } from "../store.ts";

interface Content {
  device: number;
  inode: number;
  damage: { table: string; record: string | number }[];
}

export class DamageMarker {
  readonly #path: string;
  /** If it cannot be written, at least this process knows. */
  #unwritten: Content | undefined;

  constructor(private readonly shardPath: string) {
    this.#path = `${shardPath}.damaged`;
  }

  /** Whether `file`, which is at the path of the shard, is recorded as damaged. */
  read(file: Stats): DamagedShard | undefined {
    const content = this.#unwritten ?? this.#content();
    if (content?.device !== file.dev || content.inode !== file.ino) return undefined;
    return new DamagedShard(this.shardPath, content.damage);
  }

  /** Throws if it cannot be written. It applies to this process all the same. */
  write(file: Stats, found: readonly DamagedData[]): void {
    const damage = found.map(({ table, record }) => ({ table, record }));
    this.#unwritten = { device: file.dev, inode: file.ino, damage };
    // In one step: other processes may read it at any time.
    const draft = `${this.#path}.${process.pid}`;
    try {
      writeFileSync(draft, `${JSON.stringify(this.#unwritten)}\n`);
      renameSync(draft, this.#path);
    } catch (error) {
      // On a full disk, an empty draft is left.
      if (existsSync(draft)) unlinkSync(draft);
      throw error;
    }
    this.#unwritten = undefined;
  }

  /** Throws if it cannot be removed. */
  remove(): void {
    this.#unwritten = undefined;
    // On a read-only file system, even the removal of a file that does not exist would fail.
    if (existsSync(this.#path)) rmSync(this.#path, { force: true });
  }

  #content(): Content | undefined {
    try {
      return JSON.parse(readFileSync(this.#path, "utf8"));
    } catch {
      // Usually there is none. One that cannot be read is written again by the next check.
      return undefined;
    }
  }
}
