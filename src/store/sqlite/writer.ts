/** Writes to a shard's SQLite file, one transaction at a time, and serves admin reads. */

import { Database, SQLiteError, type Statement } from "bun:sqlite";
import { closing } from "../../domain/awaitable.ts";
import { conclude, coreMethods } from "../all-tables/transaction.ts";
import { CoreWriter } from "../all-tables/writer.ts";
import { TransactionState } from "../core/transaction-state.ts";
import { type Engine, run } from "../steps.ts";
import {
  type GivenNumbers,
  type OnProgress,
  type StoredState,
  StoreRefuses,
  type Transaction,
  type Writer,
} from "../store.ts";
import { readBytes, removeFreePages } from "./compact.ts";
import { sqliteEngine } from "./engine.ts";
import { pragma } from "./open.ts";
import { OpenedFile } from "./opened-file.ts";
import { noteCommit } from "./snapshot.ts";
import { asCopyError, asReadError, asWriteError } from "./sqlite-errors.ts";
import { Statements } from "./statements.ts";
import { Wal, type WalLimits } from "./wal-size.ts";

export class SqliteWriter extends CoreWriter implements Writer {
  readonly #statements: Statements;
  readonly #engine: Engine;
  readonly #changed: Statement<{ rows: number }, []>;
  readonly #wal: Wal;

  constructor(
    private readonly database: Database,
    readonly file = new OpenedFile(database),
    walLimits?: Partial<WalLimits>,
    private readonly now = Date.now,
  ) {
    super();
    this.#wal = new Wal(database, walLimits);
    this.#statements = new Statements(database);
    this.#engine = sqliteEngine(this.#statements);
    this.#changed = database.query("SELECT total_changes() AS rows");
  }

  /** Writers of this process queue here; those of other processes wait for SQLite's lock. */
  write<T>(work: (transaction: Transaction) => Promise<T>, given?: GivenNumbers): Promise<T> {
    return this.inTurn(() => this.#inTransaction(work, given));
  }

  /** Queued with writes, because they share one connection. */
  survey<T>(work: (state: StoredState) => Promise<T>): Promise<T> {
    return this.inTurn(async () => {
      try {
        this.database.query("BEGIN").run();
        return await work(this.#state());
      } catch (error) {
        throw asReadError(error, this.database);
      } finally {
        // Reading a damaged page may have ended it.
        if (this.database.inTransaction) this.database.query("ROLLBACK").run();
      }
    });
  }

  async surveyCopy<T>(path: string, work: (state: StoredState) => Promise<T>): Promise<T> {
    await this.inTurn(async () => {
      const isReadOnly = pragma(this.database, "query_only");
      try {
        // It would refuse to write the copy too.
        this.database.run("PRAGMA query_only = OFF");
        this.database.query("VACUUM INTO ?").run(path);
      } catch (error) {
        throw asCopyError(error, this.database);
      } finally {
        this.database.run(`PRAGMA query_only = ${isReadOnly}`);
      }
    });
    await using copy = closing(
      new SqliteWriter(new Database(path, { readwrite: true, create: false })),
    );
    return await copy.survey(work);
  }

  protected bytes(): number {
    return readBytes(this.#statements);
  }

  compact(onProgress: OnProgress): Promise<void> {
    return this.inTurn(async () => {
      try {
        await removeFreePages(this.database, onProgress);
        // The file gets shorter when the WAL is copied into it.
        await this.#wal.empty();
      } catch (error) {
        throw asWriteError(error, this.database);
      }
    });
  }

  emptyLog(): Promise<boolean> {
    return this.inTurn(() => this.#wal.empty());
  }

  close(): void {
    this.#statements.close();
  }

  /** Every read on its own: one that fails leaves the others possible. */
  #state(): StoredState {
    const state = {
      ...coreMethods(this.#engine, new TransactionState()),
      checkIndexes: (limit: number) => checkFile(this.database, limit),
    };
    return Object.fromEntries(
      Object.entries(state).map(([name, read]) => [
        name,
        (...values: never[]) =>
          this.read(() => (read as (...values: never[]) => unknown)(...values)),
      ]),
    ) as unknown as StoredState;
  }

  protected read<T>(work: (engine: Engine) => T): T {
    try {
      return work(this.#engine);
    } catch (error) {
      throw asReadError(error, this.database);
    }
  }

  async #inTransaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    given: GivenNumbers | undefined,
  ): Promise<T> {
    try {
      await this.#wal.limit();
    } catch (error) {
      throw asWriteError(error, this.database);
    }
    this.#begin();
    try {
      const state = new TransactionState(given);
      const before = this.#changed.get()!.rows;
      const result = await work(coreMethods(this.#engine, state));
      if (this.#changed.get()!.rows > before) await run(this.#engine, conclude(state, this.now()));
      this.database.query("COMMIT").run();
      this.file.checkCommitted();
      noteCommit();
      return result;
    } catch (error) {
      // A full disk may have ended the transaction.
      if (this.database.inTransaction) this.database.query("ROLLBACK").run();
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
}

/** Pages, and indexes against their tables. */
function checkFile(database: Database, limit: number): { table: string; record: string }[] {
  return database
    .query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${limit})`)
    .all()
    .flatMap(({ integrity_check: found }) =>
      found === "ok"
        ? []
        : found
            .trim()
            .split("\n")
            .map((record) => ({ table: "file", record })),
    );
}
