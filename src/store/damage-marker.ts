/**
 * Records that a shard is damaged, in a file, so that all processes stop to serve it, also after a restart. It is about
 * one file or database: if that is replaced, the record does not apply any more.
 */

import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder, replaceFile } from "../durable-files.ts";
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
    // With everything in PostgreSQL, there may be no data folder yet.
    makeFolder(dirname(this.path));
    replaceFile(this.path, `${JSON.stringify(this.#unwritten)}\n`);
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
