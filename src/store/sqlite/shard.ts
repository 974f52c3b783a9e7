/** A shard in a file, whatever happens to the file: one that cannot be used is tried again, one that is replaced is opened again. */

import type { Database } from "bun:sqlite";
import { lstatSync, type Stats } from "node:fs";
import type { Awaitable } from "../../domain/awaitable.ts";
import { findings, KnownFindings } from "../core/findings.ts";
import { redactions } from "../core/redactions.ts";
import type { Creation, Shard, ShardOptions } from "../shards.ts";
import { type Findings, OtherOwner, StoreError, type Verdict } from "../store.ts";
import { runOn } from "./engine.ts";
import { recordLostCommits } from "./lost-commits.ts";
import { NotAShard, openForReading, openForWriting } from "./open.ts";
import { deletedFile, fileStats, isSameFile, OpenedFile } from "./opened-file.ts";
import { SqliteReader } from "./reader.ts";
import { SqliteWriter } from "./writer.ts";

/** How often the file is looked at, at most. */
const LOOK_MS = 1000;
/** How often a file that cannot be used, and does not change, is tried again. */
const RETRY_MS = 5000;
/** By then no request uses the reader of a replaced file. */
const RETIRE_MS = 10_000;

interface SqliteShardOptions extends ShardOptions {
  path: string;
  /** Whether the settings list the shard. Otherwise a file that is not a shard is ignored. */
  isListed: boolean;
  /** Limits the memory of the writer. */
  writerCacheKib: number | undefined;
}

interface OpenShard {
  database: Database;
  reader: SqliteReader;
  file: OpenedFile;
  /** Whether its redactions were checked. */
  isChecked: boolean;
}

export class SqliteShard implements Shard {
  #open: OpenShard | undefined;
  /** Why there is no reader: the file cannot be used, lacks a redaction, or a verify has found damage. */
  #error: StoreError | undefined;
  /** The file that could not be used. */
  #failed: { file: Stats | undefined; retryAt: number } | undefined;
  #nextLook = 0;
  /** Whether there is or was a shard in the file. */
  #wasThere = false;
  #wasIgnored = false;
  /** Why the file could not be created. */
  #uncreated: StoreError | undefined;
  #writer: SqliteWriter | undefined;
  /** Readers and writers of files that were replaced. A request or transaction may still use them. */
  readonly #retired = new Set<{ close(): void }>();

  readonly #findings: KnownFindings;
  /** The file whose WAL was looked at. */
  #walOf: Stats | undefined;
  #reportedWal: number | undefined;

  constructor(private readonly options: SqliteShardOptions) {
    this.#findings = new KnownFindings(options.path);
  }

  isThere(): boolean {
    // Commands that only read find out when they open it.
    if (this.options.access === "read") return true;
    this.#look();
    return (this.#error ?? this.#open) !== undefined;
  }

  reader(): Awaitable<SqliteReader | undefined> {
    this.#look();
    if (this.#error) throw this.#error;
    const open = this.#open;
    open?.reader.renew();
    return open === undefined || open.isChecked ? open?.reader : this.#check(open);
  }

  /** A file has none. */
  replicas(): readonly boolean[] {
    return [];
  }

  findings(): Findings {
    return this.#findings.current;
  }

  holdVerdict(verdict: Verdict): void {
    this.#findings.hold(verdict);
    this.#nextLook = 0;
  }

  writer(mustExist = false): SqliteWriter {
    const known = this.#writer;
    if (known && !known.file.isReplaced()) return known;
    if (known) this.#retired.add(known);
    const { path } = this.options;
    if (mustExist && !fileStats(path)) throw deletedFile(path);
    this.#writer = this.#openWriter();
    return this.#writer;
  }

  /** With one connection if nothing is written: a second one would keep the first from removing the WAL of its own. */
  async existingWriter(): Promise<SqliteWriter | undefined> {
    if (this.options.access !== "read") return (await this.reader()) && this.writer(true);
    try {
      const database = this.#writer ? undefined : this.#openDatabase();
      if (database) this.#writer = new SqliteWriter(database);
    } catch (error) {
      if (!this.#isIgnored(error)) throw error;
    }
    const writer = this.#writer;
    if (writer) await this.options.checkRedactions(() => writer.redactions());
    return writer;
  }

  create(): Creation {
    try {
      const wasMissing = fileStats(this.options.path) === undefined;
      this.#openWriter().close();
      return wasMissing ? "created" : "existing";
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#uncreated = error;
      return "failed";
    }
  }

  close(): void {
    this.#open?.reader.close();
    this.#writer?.close();
    for (const one of this.#retired) one.close();
    this.#retired.clear();
    this.#open = undefined;
    this.#writer = undefined;
    this.#nextLook = 0;
  }

  #look(): void {
    const now = performance.now();
    if (now < this.#nextLook) return;
    const { path } = this.options;
    this.#nextLook = now + LOOK_MS;
    let file: Stats | undefined;
    try {
      file = fileStats(path);
      if (!file || !this.#open || this.#open.file.isReplaced()) {
        if (this.#failed && isUnchanged(this.#failed.file, file) && now < this.#failed.retryAt)
          return;
        this.#reopen(file);
      }
      this.#failed = undefined;
      this.#error = this.#readFindings();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error instanceof OtherOwner) this.#wasThere = true;
      this.#failed = { file, retryAt: now + RETRY_MS };
      this.#error = this.#isIgnored(error) ? undefined : error;
    }
  }

  /** Commands that only read are to get what they can. */
  #readFindings(): StoreError | undefined {
    if (!this.#open || this.options.access === "read") return undefined;
    this.#findings.set(runOn(this.#open.database, findings.findings()));
    const { wal } = this.#findings.current;
    const { id, observe } = this.options;
    if (wal && wal.at !== this.#reportedWal) {
      observe({ event: "wal-damaged", shard: id, commits: wal.commits });
    }
    this.#reportedWal = wal?.at;
    return this.#findings.error;
  }

  /** Before the file may be written. What is stored is reported when it is read. */
  #checkWal(): void {
    const { id, path, access, observe } = this.options;
    const file = fileStats(path);
    if (!file?.isFile() || access === "read" || isSameFile(file, this.#walOf)) return;
    this.#walOf = file;
    try {
      recordLostCommits(path, id, Date.now());
    } catch (error) {
      observe({ event: "finding-not-stored", shard: id, error });
    }
  }

  #reopen(file: Stats | undefined): void {
    const { id, path, cacheBytes, observe } = this.options;
    if (!file) {
      if (lstatSync(path, { throwIfNoEntry: false })) {
        throw new StoreError(`${path} is a link to a file that does not exist`);
      }
      if (this.#wasThere) throw deletedFile(path);
      if (this.#uncreated) throw this.#uncreated;
      // A new file is found at once.
      this.#nextLook = 0;
      return;
    }
    if (file.isDirectory()) {
      throw new NotAShard(`${path} is a folder, not a file; move it elsewhere`);
    }
    const database = this.#openDatabase();
    if (!database) {
      throw new NotAShard(
        `${path} contains no shard; delete it, unless one is about to be created there`,
      );
    }
    if (this.#open) this.#retire(this.#open.reader);
    this.#open = {
      database,
      reader: new SqliteReader(database, cacheBytes),
      file: new OpenedFile(database, path, file),
      isChecked: false,
    };
    this.#wasThere = true;
    observe({ event: "shard-opened", shard: id, location: path });
  }

  /** For reading. Undefined if there is no shard in the file yet. */
  #openDatabase(): Database | undefined {
    const { id, path } = this.options;
    this.#checkWal();
    return openForReading(path, id, this.options.access);
  }

  #openWriter(): SqliteWriter {
    const { id, path, writerCacheKib } = this.options;
    this.#checkWal();
    const file = fileStats(path);
    const database = openForWriting(path, id, writerCacheKib);
    return new SqliteWriter(database, new OpenedFile(database, path, file));
  }

  async #check(open: OpenShard): Promise<SqliteReader> {
    try {
      await this.options.checkRedactions(() => runOn(open.database, redactions.redactions()));
    } catch (error) {
      // Until the next look.
      if (error instanceof StoreError) this.#error = error;
      throw error;
    }
    open.isChecked = true;
    return open.reader;
  }

  /** Whether a file in the data folder that cannot be opened is no shard, rather than a damaged one. */
  #isIgnored(error: unknown): boolean {
    const { isListed, observe } = this.options;
    if (isListed || this.#wasThere || !(error instanceof NotAShard)) return false;
    if (!this.#wasIgnored) observe({ event: "file-ignored", error });
    this.#wasIgnored = true;
    return true;
  }

  #retire(reader: SqliteReader): void {
    this.#retired.add(reader);
    setTimeout(() => {
      if (this.#retired.delete(reader)) reader.close();
    }, RETIRE_MS).unref();
  }
}

const isUnchanged = (one: Stats | undefined, other: Stats | undefined): boolean =>
  isSameFile(one, other) && one?.mtimeMs === other?.mtimeMs;
