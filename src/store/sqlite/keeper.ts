/** In charge of writing to a shard's SQLite file, and of the operators' view of it. */

import type { Database } from "bun:sqlite";
import { WITHHELD_REASONS, type WithheldReason } from "../../domain/visibility.ts";
import type { Counts, Fate, Keeper, StoredMatch, Transaction } from "../store.ts";
import { SqliteTransaction } from "./transaction.ts";

export class SqliteKeeper implements Keeper {
  readonly #database: Database;
  readonly #transaction: SqliteTransaction;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
    this.#transaction = new SqliteTransaction(database);
  }

  /** Within this process writers queue here; those of other processes wait for SQLite's lock. */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const mine = this.#turn.then(() => this.#inTransaction(work));
    this.#turn = mine.catch(() => {});
    return mine;
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
      const result = await work(this.#transaction);
      this.#database.query("COMMIT").run();
      return result;
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (this.#database.inTransaction) this.#database.query("ROLLBACK").run();
      throw error;
    }
  }
}
