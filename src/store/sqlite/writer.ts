/** Writes to a shard's SQLite file, one transaction at a time, and serves admin reads. */

import { type Database, SQLiteError, type Statement } from "bun:sqlite";
import { TransactionChanges } from "../change-log.ts";
import { checksum } from "../checksum.ts";
import { packNumbers } from "../row-encoding.ts";
import {
  type Counts,
  type OnProgress,
  type Redaction,
  type ShardRecord,
  type StoredState,
  StoreRefuses,
  type Transaction,
  type Writer,
} from "../store.ts";
import { actorTable } from "./actors.ts";
import { boardTables } from "./boards.ts";
import { logChanges } from "./change-log.ts";
import { removeFreePages, rewrite } from "./compact.ts";
import { counterTables, readCounts } from "./counters.ts";
import { matchTables } from "./matches.ts";
import { NameIndex } from "./name-index.ts";
import { OpenedFile } from "./opened-file.ts";
import { playerTables, RowNumbers } from "./players.ts";
import { countOlder, pruningTables } from "./pruning.ts";
import { redactionTable } from "./redactions.ts";
import { noteCommit } from "./snapshot.ts";
import { asReadError, asWriteError } from "./sqlite-errors.ts";
import { Statements } from "./statements.ts";
import { stateTables } from "./stored-state.ts";
import { readShard, Totals, writeShard } from "./totals.ts";
import { Wal, type WalLimits } from "./wal.ts";

export class SqliteWriter implements Writer {
  readonly #statements: Statements;
  readonly #tables: ReturnType<typeof openTables>;
  readonly #dataVersion: Statement<{ data_version: number }, []>;
  #version: number | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #wal: Wal;

  constructor(
    private readonly database: Database,
    readonly file = new OpenedFile(database),
    walLimits?: Partial<WalLimits>,
    now = Date.now,
  ) {
    this.#wal = new Wal(database, walLimits);
    this.#statements = new Statements(database);
    this.#tables = openTables(this.#statements, now);
    this.#dataVersion = database.query("PRAGMA data_version");
  }

  /** Writers of this process queue here; those of other processes wait for SQLite's lock. */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#inTransaction(work));
  }

  /** Queued with writes, because they share one connection. */
  survey<T>(work: (state: StoredState) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      try {
        this.database.query("BEGIN").run();
        return await work(this.#tables.state);
      } catch (error) {
        throw asReadError(error, this.database);
      } finally {
        // Reading a damaged page may have ended it.
        if (this.database.inTransaction) this.database.query("ROLLBACK").run();
      }
    });
  }

  /** Queued with writes, so that it never sees an unfinished one. */
  contentHashes(ids: string[]): Promise<Map<string, Uint8Array>> {
    return this.#turn.then(() =>
      this.#read(() => {
        const known = this.#tables.transaction.known(ids);
        return new Map([...known].map(([id, { contentHash }]) => [id, contentHash]));
      }),
    );
  }

  inspect(id: string): ShardRecord | undefined {
    return this.#read(() => this.#tables.transaction.load([id])[0]);
  }

  rankedEvidence(playerIds: string[]): Map<string, number> {
    return this.#read(() => this.#tables.transaction.rankedEvidence(playerIds));
  }

  prunedBefore(): number | undefined {
    return this.#read(() => this.#tables.transaction.prunedBefore());
  }

  redactions(): Redaction[] {
    return this.#read(() => this.#tables.transaction.redactions());
  }

  countOlder(before: number): { served: number; withheld: number } {
    return this.#read(() => countOlder(this.#statements, before));
  }

  counts(): Counts {
    return this.#read(() => readCounts(this.#statements));
  }

  /** A file cannot have aliases. */
  stateToken(): undefined {
    return undefined;
  }

  compact(full: boolean, onProgress: OnProgress): Promise<void> {
    return this.#inTurn(async () => {
      try {
        if (full) rewrite(this.database);
        else await removeFreePages(this.database, onProgress);
        // The file gets shorter when the WAL is copied into it.
        await this.#wal.empty();
      } catch (error) {
        throw asWriteError(error, this.database);
      }
    });
  }

  emptyLog(): Promise<boolean> {
    return this.#inTurn(() => this.#wal.empty());
  }

  close(): void {
    this.#statements.close();
  }

  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw asReadError(error, this.database);
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async #inTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      await this.#wal.limit();
    } catch (error) {
      throw asWriteError(error, this.database);
    }
    this.#begin();
    try {
      this.#noticeOthers();
      const result = await work(this.#tables.transaction);
      this.#tables.conclude();
      this.database.query("COMMIT").run();
      this.file.checkCommitted();
      noteCommit();
      return result;
    } catch (error) {
      // A full disk may have ended the transaction.
      if (this.database.inTransaction) this.database.query("ROLLBACK").run();
      this.#tables.forget();
      throw asWriteError(error, this.database);
    }
  }

  #begin(): void {
    try {
      this.database.query("BEGIN IMMEDIATE").run();
    } catch (error) {
      if (!(error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY"))) {
        throw asWriteError(error, this.database);
      }
      // Without the cause: its message would replace this one.
      throw new StoreRefuses(
        `${this.database.filename} is locked: another program has been writing to it for too long, e.g. to move the shard; retry when it is done`,
      );
    }
  }

  /** Caches are valid only while nobody else writes. */
  #noticeOthers(): void {
    const version = this.#dataVersion.get()!.data_version;
    if (version !== this.#version) this.#tables.forget();
    this.#version = version;
  }
}

/** How many transactions a reader may miss before it drops its whole cache. */
const KEPT_CHANGES = 256;

/** The tables as one transaction, and the writes at its end. */
function openTables(database: Statements, now: () => number) {
  const totals = new Totals();
  const matchChanges = new TransactionChanges();
  const nameIndex = new NameIndex(database);
  const numbers = {
    players: new RowNumbers(database, "players", totals),
    teams: new RowNumbers(database, "teams", totals),
  };
  const players = playerTables(database, numbers, nameIndex);
  const transaction = {
    ...matchTables(database, numbers, totals, matchChanges),
    ...players.transaction,
    ...counterTables(database),
    ...pruningTables(database),
    ...redactionTable(database),
    ...actorTable(database),
    ...boardTables(database),
  } satisfies Transaction;

  /** For the caches of readers. Returns the number of the last change, `last` if there is no new one. */
  function logNamed({ changed }: typeof players, last: number): number {
    if (changed.players.size + changed.teams.size === 0) return last;
    const sequence = last + 1;
    const values = [sequence, packNumbers(changed.players), packNumbers(changed.teams)];
    database.run(
      "INSERT INTO changes (sequence, players, teams, checksum) VALUES (?, ?, ?, ?)",
      ...values,
      checksum(values),
    );
    database.run("DELETE FROM changes WHERE sequence <= ?", sequence - KEPT_CHANGES);
    return sequence;
  }

  return {
    transaction,
    state: { ...transaction, ...stateTables(database) } satisfies StoredState,
    /** Called before the commit. */
    conclude(): void {
      const shard = readShard(database);
      // The counter is stored, so that numbers are not reused after the log is trimmed.
      const sequence = logNamed(players, shard.sequence);
      logChanges(database, matchChanges, now());
      matchChanges.forget();
      writeShard(database, totals.addTo({ ...shard, sequence }));
      totals.forget();
      nameIndex.write();
      players.forget();
    },
    /** Called after a rollback, or when others may have written. */
    forget(): void {
      numbers.players.forget();
      numbers.teams.forget();
      totals.forget();
      matchChanges.forget();
      nameIndex.forget();
      players.forget();
    },
  };
}
