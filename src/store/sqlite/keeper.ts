/** In charge of writing to a shard's SQLite file, and of the operators' view of it. */

import { type Database, SQLiteError, type Statement } from "bun:sqlite";
import { noneWithheld, type WithheldReason } from "../../domain/visibility.ts";
import {
  type Counts,
  type Holdings,
  type Keeper,
  type KeptRecord,
  StoreRefuses,
  type Transaction,
} from "../store.ts";
import { noteCommit } from "./snapshot.ts";
import { Statements } from "./statements.ts";
import { readTallies } from "./tallies.ts";
import { SqliteTransaction } from "./transaction.ts";

export class SqliteKeeper implements Keeper {
  readonly #database: Database;
  readonly #statements: Statements;
  readonly #transaction: SqliteTransaction;
  readonly #dataVersion: Statement<{ data_version: number }, []>;
  #version: number | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
    this.#statements = new Statements(database);
    this.#transaction = new SqliteTransaction(this.#statements);
    this.#dataVersion = database.query("PRAGMA data_version");
  }

  /** Within this process writers queue here; those of other processes wait for SQLite's lock. */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#inTransaction(work));
  }

  /** In turn with the writers of this process: all of them have one connection. */
  survey<T>(work: (holdings: Holdings) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      this.#database.query("BEGIN").run();
      try {
        return await work(this.#transaction);
      } finally {
        this.#database.query("COMMIT").run();
      }
    });
  }

  /** In turn with the writers of this process, so that it sees none of them halfway. */
  contentHashes(ids: string[]): Promise<Map<string, Uint8Array>> {
    return this.#turn.then(() => {
      const known = this.#transaction.known(ids);
      return new Map([...known].map(([id, { contentHash }]) => [id, contentHash]));
    });
  }

  inspect(id: string): KeptRecord | undefined {
    return this.#transaction.load([id])[0];
  }

  rankedEvidence(playerIds: string[]): Map<string, number> {
    return this.#transaction.rankedEvidence(playerIds);
  }

  counts(): Counts {
    const { matches: served, ...tallies } = readTallies(this.#statements);
    return { served, withheld: this.#withheld(), ...tallies };
  }

  /** A file has one place, whatever links lead there. */
  stateToken(): undefined {
    return undefined;
  }

  close(): void {
    this.#database.close();
  }

  /** Counted, along an index: only operators ask for it. */
  #withheld(): Record<WithheldReason, number> {
    const counts = noneWithheld();
    const rows = this.#statements.get<{ reason: WithheldReason; matches: number }>(
      "SELECT reason, count(*) AS matches FROM withheld GROUP BY reason",
    );
    for (const { reason, matches } of rows.all()) counts[reason] = matches;
    return counts;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async #inTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    this.#begin();
    try {
      this.#noticeOthers();
      const result = await work(this.#transaction);
      this.#transaction.conclude();
      this.#database.query("COMMIT").run();
      noteCommit();
      return result;
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (this.#database.inTransaction) this.#database.query("ROLLBACK").run();
      this.#transaction.forgetAll();
      throw error;
    }
  }

  #begin(): void {
    try {
      this.#database.query("BEGIN IMMEDIATE").run();
    } catch (error) {
      if (!(error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY"))) throw error;
      // Without the cause: SQLite's own words would take the place of these.
      throw new StoreRefuses(
        `another program has been writing to ${this.#database.filename} for too long, perhaps to move the shard: try again when it is done`,
      );
    }
  }

  /** What is remembered from one transaction to the next holds while nobody else has written. */
  #noticeOthers(): void {
    const version = this.#dataVersion.get()!.data_version;
    if (version !== this.#version) this.#transaction.forgetAll();
    this.#version = version;
  }
}
