/** A shard in PostgreSQL: opened by the first request, and tried again while its database is unavailable. */

import { KnownFindings } from "../core/findings.ts";
import type { Creation, Shard, ShardOptions } from "../shards.ts";
import { type Findings, type Reader, StoreUnavailable, type Verdict } from "../store.ts";
import { PostgresReader } from "./reader.ts";
import type { ReplicaChange, Replicas } from "./replica-health.ts";
import { ReplicatedReaders } from "./replicas.ts";
import { type PostgresTarget, sessionForReading, sharedSession } from "./session.ts";
import { PostgresWriter } from "./writer.ts";

/** How often its findings are read, at most. */
const LOOK_MS = 1000;
/** How long a request waits for them: replicas also serve without the primary. */
const LOOK_PATIENCE_MS = 100;

interface PostgresShardOptions extends ShardOptions {
  location: PostgresTarget;
  replicas: Replicas | undefined;
}

/** Shared by all requests. */
type OpenDatabase = PostgresReader | ReplicatedReaders;

export class PostgresShard implements Shard {
  #open: OpenDatabase | undefined;
  /** Concurrent requests share one attempt. */
  #opening: Promise<OpenDatabase | undefined> | undefined;
  #writer: PostgresWriter | undefined;
  /** Which replicas were last reported as in use, so that repeated attempts do not report again. */
  readonly #reported = new Map<number, boolean>();

  readonly #findings: KnownFindings;
  #nextLook = 0;
  #looking: Promise<void> | undefined;

  constructor(private readonly options: PostgresShardOptions) {
    this.#findings = new KnownFindings(options.location.shown);
  }

  /** The settings list it. */
  isThere(): boolean {
    return true;
  }

  async reader(): Promise<Reader | undefined> {
    const open = this.#open ?? (await this.#opened());
    if (!open) return undefined;
    if (performance.now() >= this.#nextLook) await this.#look();
    const { error } = this.#findings;
    if (error) throw error;
    return open instanceof ReplicatedReaders ? open.forRequest() : open;
  }

  replicas(): readonly boolean[] {
    if (this.#open instanceof ReplicatedReaders) return this.#open.inUse;
    return this.options.replicas?.places.map(() => false) ?? [];
  }

  findings(): Findings {
    return this.#findings.current;
  }

  holdVerdict(verdict: Verdict): void {
    this.#findings.hold(verdict);
  }

  writer(): PostgresWriter {
    const { id, location, access } = this.options;
    this.#writer ??= new PostgresWriter(
      sharedSession(location),
      id,
      undefined,
      undefined,
      access === "read",
    );
    return this.#writer;
  }

  async existingWriter(): Promise<PostgresWriter | undefined> {
    const open = this.options.access === "read" ? await this.#opened() : await this.reader();
    return open && this.writer();
  }

  /** Its writer creates the tables. */
  create(): Creation {
    return "none";
  }

  async close(): Promise<void> {
    // A database that is opened later would keep its connections, and the process alive.
    await this.#opening?.catch(() => {});
    await this.#open?.close();
    await this.#writer?.close();
    this.#open = undefined;
    this.#writer = undefined;
  }

  /** Commands that only read are to get what they can. */
  async #look(): Promise<void> {
    if (this.options.access === "read") return;
    this.#looking ??= this.#readFindings().finally(() => {
      this.#looking = undefined;
    });
    await Promise.race([this.#looking, Bun.sleep(LOOK_PATIENCE_MS)]);
  }

  async #readFindings(): Promise<void> {
    try {
      this.#findings.set(await this.writer().findings());
    } catch (error) {
      // What was read last holds.
      if (!(error instanceof StoreUnavailable)) throw error;
    }
    this.#nextLook = performance.now() + LOOK_MS;
  }

  async #opened(): Promise<OpenDatabase | undefined> {
    if (this.#open) return this.#open;
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** The first process creates the tables. Undefined if there are none, and none may be created. */
  async #connect(): Promise<OpenDatabase | undefined> {
    const { id, location, access, observe, checkRedactions } = this.options;
    const writer = this.writer();
    let unavailable: StoreUnavailable | undefined;
    try {
      if (!(await writer.ready())) return undefined;
      await checkRedactions(() => writer.redactions());
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      unavailable = error;
    }
    if (access !== "read") await this.#readFindings();
    this.#open = await this.#openReader(unavailable);
    observe({ event: "shard-opened", shard: id, location: location.shown });
    return this.#open;
  }

  /** Throws `unavailable` unless a replica that has the tables can serve instead. */
  async #openReader(unavailable: StoreUnavailable | undefined): Promise<OpenDatabase> {
    const { location, replicas, cacheBytes } = this.options;
    if (unavailable && !replicas) throw unavailable;
    if (!replicas) return new PostgresReader(sessionForReading(location), cacheBytes);
    const readers = new ReplicatedReaders(location, replicas, cacheBytes, (change) =>
      this.#report(change),
    );
    await readers.check();
    if (!unavailable || readers.inUse.includes(true)) return readers;
    await readers.close();
    throw unavailable;
  }

  #report({ replica, reason }: ReplicaChange): void {
    const { id: shard, observe } = this.options;
    const isUsed = reason === undefined;
    if (this.#reported.get(replica) === isUsed) return;
    this.#reported.set(replica, isUsed);
    if (isUsed) observe({ event: "replica-included", shard, replica });
    else observe({ event: "replica-excluded", shard, replica, why: reason });
  }
}
