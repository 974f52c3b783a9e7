/** A map with text keys that keeps in memory only what was used recently, and the rest in a temporary file. */

import { Database, type Statement } from "bun:sqlite";

/** How values are written to the file. */
export interface Codec<V> {
  write(value: V): string;
  read(text: string): V;
}

/** About 300 bytes each. */
const MAX_IN_MEMORY = 100_000;
const CACHED_KIB = 8 * 1024;

export class SpillingMap<V> {
  readonly #database: Database;
  readonly #get: Statement<{ value: string }, [string]>;
  readonly #set: Statement<unknown, [string, string]>;
  readonly #page: Statement<{ key: string; value: string }, [string, number]>;
  readonly #recent = new Map<string, V>();
  #hasSpilled = false;

  constructor(
    private readonly codec: Codec<V>,
    private readonly maxInMemory = MAX_IN_MEMORY,
  ) {
    // SQLite deletes the file of temporary tables itself, also when the process is killed.
    this.#database = new Database(":memory:");
    this.#database.run("PRAGMA temp_store = FILE");
    this.#database.run(`PRAGMA temp.cache_size = ${-CACHED_KIB}`);
    this.#database.run("CREATE TEMP TABLE kept (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID");
    this.#get = this.#database.prepare("SELECT value FROM kept WHERE key = ?");
    this.#set = this.#database.prepare("REPLACE INTO kept VALUES (?, ?)");
    this.#page = this.#database.prepare(
      "SELECT key, value FROM kept WHERE key > ? ORDER BY key LIMIT ?",
    );
  }

  get(key: string): V | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined || !this.#hasSpilled) return recent;
    const row = this.#get.get(key);
    return row ? this.codec.read(row.value) : undefined;
  }

  set(key: string, value: V): void {
    if (this.#recent.size >= this.maxInMemory) this.#spill();
    this.#recent.set(key, value);
  }

  /** The entries after a key, in the order of the keys; fewer than `limit` only at the end. */
  page(after: string, limit: number): [key: string, value: V][] {
    this.#spill();
    return this.#page.all(after, limit).map(({ key, value }) => [key, this.codec.read(value)]);
  }

  close(): void {
    for (const statement of [this.#get, this.#set, this.#page]) statement.finalize();
    this.#database.close();
  }

  #spill(): void {
    if (this.#recent.size === 0) return;
    this.#database.transaction(() => {
      for (const [key, value] of this.#recent) this.#set.run(key, this.codec.write(value));
    })();
    this.#recent.clear();
    this.#hasSpilled = true;
  }
}
