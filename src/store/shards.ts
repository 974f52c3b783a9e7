/** The contract for access to the shards, and the shards that a process has in use. */

import type { Awaitable } from "../domain/awaitable.ts";
import type { Observe } from "../observe/events.ts";
import { NO_FINDINGS } from "./core/findings.ts";
import type { Findings, Reader, Redaction, Verdict, Writer } from "./store.ts";

export interface ReadableShards {
  /** The ids of all current shards, sorted. */
  list(): Awaitable<string[]>;
  /**
   * A reader for one request; undefined if there is no such shard. All its calls go to the same
   * replica, if there are any, as long as that one responds. It need not be closed. May throw
   * StoreError.
   */
  reader(id: string): Awaitable<Reader | undefined>;
  /** Whether each replica of a shard is in use, in their order; empty without replicas. */
  replicas(id: string): readonly boolean[];
  /** As they were last read, for a reader. */
  findings(id: string): Findings;
}

/** What may be changed by opening a shard. "read": nothing. "write": missing shards are created. */
export type ShardAccess = "read" | "write";

export type Creation = "created" | "existing" | "failed" | "none";

/** The shards as ingest and the admin commands use them. */
export interface Shards extends ReadableShards {
  /** The ids that records may have; undefined if a new id creates a new shard. */
  readonly allowed: ReadonlySet<string> | undefined;
  /**
   * Creates the shard if it does not exist, unless it `mustExist`. May throw StoreError. Call it for every
   * transaction: a file that was replaced has a new writer.
   */
  writer(id: string, mustExist?: boolean): Writer;
  /**
   * Creates the file of a shard, if it has one and it does not exist. If that fails, the shard is unavailable. "none": it
   * has no file.
   */
  create(id: string): Creation;
  /** Keeps a verdict that cannot be stored, for this process. */
  holdVerdict(id: string, verdict: Verdict): void;
  /** The writer of an existing shard. */
  existingWriter(id: string): Awaitable<Writer | undefined>;
  close(): Awaitable<void>;
}

/**
 * One shard, for as long as the process runs. It is opened when it is first needed, and tried again if that fails. Its
 * methods are those of Shards, for one id.
 */
export interface Shard {
  /** Whether there is a shard, perhaps one that is unavailable. */
  isThere(): boolean;
  reader(): Awaitable<Reader | undefined>;
  replicas(): readonly boolean[];
  findings(): Findings;
  holdVerdict(verdict: Verdict): void;
  writer(mustExist?: boolean): Writer;
  existingWriter(): Awaitable<Writer | undefined>;
  create(): Creation;
  close(): Awaitable<void>;
}

/** What a shard needs on both engines. */
export interface ShardOptions {
  id: string;
  access: ShardAccess;
  cacheBytes: number;
  /** Throws StoreError if the shard lacks a redaction, and so must not be read. */
  checkRedactions(applied: () => Awaitable<Redaction[]>): Promise<void>;
  observe: Observe;
}

export class ShardsInUse implements Shards {
  readonly allowed: ReadonlySet<string> | undefined;
  readonly #shards = new Map<string, Shard>();

  /** `listed` are the shards of the settings. Without any, every shard that `found` returns exists. */
  constructor(
    listed: readonly string[],
    private readonly found: () => string[],
    private readonly open: (id: string) => Shard,
  ) {
    this.allowed = listed.length > 0 ? new Set(listed) : undefined;
  }

  list(): string[] {
    if (this.allowed) return [...this.allowed].sort();
    // A file that was lost is still a shard.
    const ids = new Set([...this.found(), ...this.#shards.keys()]);
    return [...ids].filter((id) => this.#find(id)?.isThere()).sort();
  }

  reader(id: string): Awaitable<Reader | undefined> {
    return this.#find(id)?.reader();
  }

  replicas(id: string): readonly boolean[] {
    return this.#find(id)?.replicas() ?? [];
  }

  findings(id: string): Findings {
    return this.#find(id)?.findings() ?? NO_FINDINGS;
  }

  holdVerdict(id: string, verdict: Verdict): void {
    this.#find(id)?.holdVerdict(verdict);
  }

  writer(id: string, mustExist?: boolean): Writer {
    return this.#use(id).writer(mustExist);
  }

  existingWriter(id: string): Awaitable<Writer | undefined> {
    return this.#find(id)?.existingWriter();
  }

  create(id: string): Creation {
    return this.#use(id).create();
  }

  async close(): Promise<void> {
    for (const shard of this.#shards.values()) await shard.close();
    this.#shards.clear();
  }

  /** Undefined if there is no such shard. */
  #find(id: string): Shard | undefined {
    const known = this.#shards.get(id);
    if (known) return known;
    const exists = this.allowed ? this.allowed.has(id) : this.found().includes(id);
    return exists ? this.#use(id) : undefined;
  }

  #use(id: string): Shard {
    const shard = this.#shards.get(id) ?? this.open(id);
    this.#shards.set(id, shard);
    return shard;
  }
}
