/** In charge of writing to a shard's SQLite file, and of the operators' view of it. */

import type { Database, Statement } from "bun:sqlite";
import { WITHHELD_REASONS, type WithheldReason } from "../../domain/visibility.ts";
import type { Counts, Fate, Keeper, StoredMatch, Transaction } from "../store.ts";
import { noteCommit } from "./snapshot.ts";
import { SqliteTransaction } from "./transaction.ts";

export class SqliteKeeper implements Keeper {
  readonly #database: Database;
  readonly #transaction: SqliteTransaction;
  readonly #dataVersion: Statement<{ data_version: number }, []>;
  #version: number | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
    this.#transaction = new SqliteTransaction(database);
    this.#dataVersion = database.query("PRAGMA data_version");
  }

  /** Within this process writers queue here; those of other processes wait for SQLite's lock. */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const mine = this.#turn.then(() => this.#inTransaction(work));
    this.#turn = mine.catch(() => {});
    return mine;
  }

  /** In turn with the writers of this process, so that it sees none of them halfway. */
  contentHashes(ids: string[]): Promise<Map<string, Uint8Array>> {
    return this.#turn.then(() => {
      const known = this.#transaction.known(ids);
      return new Map([...known].map(([id, { contentHash }]) => [id, contentHash]));
    });
  }

  inspect(id: string): { fate: Fate; match: StoredMatch } | undefined {
    return this.#transaction.load([id])[0];
  }

  rankedEvidence(playerIds: string[]): Map<string, number> {
    return this.#transaction.rankedEvidence(playerIds);
  }

  counts(): Counts {
    const one = (sql: string) =>
      this.#database.query<{ value: number | null }, []>(`SELECT ${sql} AS value`).get()!.value;
    const withheld = Object.fromEntries(WITHHELD_REASONS.map((reason) => [reason, 0])) as Record<
      WithheldReason,
      number
    >;
    for (const row of this.#database
      .query<{ reason: WithheldReason; matches: number }, []>(
        "SELECT reason, count(*) AS matches FROM withheld GROUP BY reason",
      )
      .all()) {
      withheld[row.reason] = row.matches;
    }
    return {
      served: one("(SELECT count(*) FROM matches)")!,
      withheld,
      players: one("(SELECT count(*) FROM players)")!,
      teams: one("(SELECT count(*) FROM teams)")!,
      newestMatch: one("(SELECT max(created_at) FROM matches)") ?? undefined,
      bytes: one("(SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)")!,
    };
  }

  close(): void {
    this.#database.close();
  }

  async #inTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    this.#database.query("BEGIN IMMEDIATE").run();
    try {
      this.#noticeOthers();
      const result = await work(this.#transaction);
      this.#transaction.noteChanges();
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

  /** What is remembered from one transaction to the next holds while nobody else has written. */
  #noticeOthers(): void {
    const version = this.#dataVersion.get()!.data_version;
    if (version !== this.#version) this.#transaction.forgetAll();
    this.#version = version;
  }
}
