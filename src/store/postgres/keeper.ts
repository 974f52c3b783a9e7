/** In charge of writing to a shard in PostgreSQL, and of the operators' view of it. */

import { noneWithheld, type WithheldReason } from "../../domain/visibility.ts";
import type { Counts, Holdings, Keeper, KeptRecord, Transaction } from "../store.ts";
import { rankedEvidence } from "./counters.ts";
import { isConcluded } from "./doubt.ts";
import { CommitInDoubt } from "./failures.ts";
import { prepare, TURN_PATIENCE_MS, takeTurn } from "./open.ts";
import { Partitions } from "./partitions.ts";
import type { Session } from "./session.ts";
import { readSummary } from "./summary.ts";
import { PostgresTransaction } from "./transaction.ts";

export class PostgresKeeper implements Keeper {
  readonly #session: Session;
  readonly #partitions = new Partitions();
  readonly #now: () => number;
  readonly #patienceMs: number;
  #prepared: Promise<void> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    session: Session,
    now: () => number = Date.now,
    patienceMs: number = TURN_PATIENCE_MS,
  ) {
    this.#session = session;
    this.#now = now;
    this.#patienceMs = patienceMs;
  }

  /** Within this process writers queue here; those of others wait for the shard's lock. */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#inTransaction(work));
  }

  /** In turn with the writers of this process, so that it keeps one connection and no more. */
  survey<T>(work: (holdings: Holdings) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      await this.ready();
      return this.#session.transaction("REPEATABLE READ READ ONLY", (connection) =>
        work(new PostgresTransaction(connection, this.#partitions)),
      );
    });
  }

  /** In turn with the writers of this process, so that it sees none of them halfway. */
  contentHashes(ids: string[]): Promise<Map<string, Uint8Array>> {
    return this.#turn.then(async () => {
      await this.ready();
      const known = await this.#reading().known(ids);
      return new Map([...known].map(([id, { contentHash }]) => [id, contentHash]));
    });
  }

  async inspect(id: string): Promise<KeptRecord | undefined> {
    await this.ready();
    return (await this.#reading().load([id]))[0];
  }

  async rankedEvidence(playerIds: string[]): Promise<Map<string, number>> {
    await this.ready();
    return rankedEvidence(this.#session, playerIds);
  }

  async counts(): Promise<Counts> {
    await this.ready();
    const { matches, ...summary } = await readSummary(this.#session);
    const withheld = noneWithheld();
    const rows = await this.#session.rows<{ reason: WithheldReason; matches: string }>(
      "SELECT reason, count(*) AS matches FROM {withheld} GROUP BY reason",
    );
    for (const row of rows) withheld[row.reason] = Number(row.matches);
    return { ...summary, served: matches, withheld };
  }

  async stateToken(): Promise<string | undefined> {
    await this.ready();
    const [row] = await this.#session.rows<{ token: string }>("SELECT token FROM {state}");
    return row!.token === "" ? undefined : row!.token;
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  /** Resolves when the tables are there and of the present version. */
  async ready(): Promise<void> {
    this.#prepared ??= prepare(this.#session, this.#partitions, this.#now());
    try {
      await this.#prepared;
    } catch (error) {
      // The next one tries again: the database may be back by then.
      this.#prepared = undefined;
      throw error;
    }
  }

  #reading(): PostgresTransaction {
    return new PostgresTransaction(this.#session, this.#partitions);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async #inTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    await this.ready();
    let done: { result: T; token: string | undefined } | undefined;
    try {
      await this.#session.transaction("READ COMMITTED", async (connection) => {
        await takeTurn(connection, this.#session, this.#patienceMs);
        await this.#partitions.makeAhead(connection, this.#now());
        const transaction = new PostgresTransaction(connection, this.#partitions);
        const result = await work(transaction);
        done = { result, token: await transaction.conclude() };
      });
    } catch (error) {
      this.#partitions.forget();
      const isThere =
        error instanceof CommitInDoubt &&
        done?.token !== undefined &&
        (await isConcluded(this.#session, done.token, this.#patienceMs, error));
      if (!isThere) throw error;
    }
    return done!.result;
  }
}
