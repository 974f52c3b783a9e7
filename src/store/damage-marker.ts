/**
 * Records that a shard is damaged, in a file, so that all processes stop to serve it, also after a restart. It is about
 * one file or database: if that is replaced, the record does not apply any more.
 */

import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { type DamagedData, DamagedShard } from "./store.ts";

/** What the record is about. */
export type MarkedStore = Readonly<Record<string, string | number>>;

interface Content {
  [member: string]: unknown;
  damage: { table: string; record: string | number }[];
}

export class DamageMarker {
  /** If it cannot be written, at least this process knows. */
  #unwritten: Content | undefined;

  /** `shown` is the location of the shard, for messages. */
  constructor(
    private readonly path: string,
    private readonly shown: string,
    private readonly advice?: string,
  ) {}

  /** Whether something is recorded, perhaps about a store that was replaced. */
  get exists(): boolean {
    return this.#unwritten !== undefined || existsSync(this.path);
  }

  /** Whether `store` is recorded as damaged. Compares what is known of both. */
  read(store: MarkedStore): DamagedShard | undefined {
    const content = this.#unwritten ?? this.#content();
    const isSame = Object.entries(store).every(
      ([name, value]) => (content?.[name] ?? value) === value,
    );
    return content && isSame
      ? new DamagedShard(this.shown, content.damage, this.advice)
      : undefined;
  }

  /** Throws if it cannot be written. It applies to this process all the same. */
  write(store: MarkedStore, found: readonly DamagedData[]): void {
    const damage = found.map(({ table, record }) => ({ table, record }));
    this.#unwritten = { ...store, damage };
    // In one step: other processes may read it at any time.
    const draft = `${this.path}.${process.pid}`;
    try {
      // With everything in PostgreSQL, there may be no data folder yet.
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      writeFileSync(draft, `${JSON.stringify(this.#unwritten)}\n`);
      renameSync(draft, this.path);
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
    if (existsSync(this.path)) rmSync(this.path, { force: true });
  }

  #content(): Content | undefined {
    try {
      return JSON.parse(readFileSync(this.path, "utf8"));
    } catch {
      // Usually there is none. One that cannot be read is written again by the next check.
      return undefined;
    }
  }
}
