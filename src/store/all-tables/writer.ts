/** What the writers of both engines share: turns, and single reads for operators. */

import type { Awaitable } from "../../domain/awaitable.ts";
import { countOlder, readCounts } from "../core/summary.ts";
import { TransactionState } from "../core/transaction-state.ts";
import { type Engine, run } from "../steps.ts";
import type { Counts, Findings, Redaction, ShardRecord, Transaction } from "../store.ts";
import { coreMethods } from "./transaction.ts";

export abstract class CoreWriter {
  #turn: Promise<unknown> = Promise.resolve();

  /** Reads outside a transaction. */
  protected abstract read<T>(work: (engine: Engine) => Awaitable<T>): Awaitable<T>;
  /** The approximate size of the store. */
  protected abstract bytes(): Awaitable<number>;

  /** Transactions of this process queue here. */
  protected inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async inspect(id: string): Promise<ShardRecord | undefined> {
    return (await this.#readTables((tables) => tables.load([id])))[0];
  }

  rankedEvidence(playerIds: string[]): Awaitable<Map<string, number>> {
    return this.#readTables((tables) => tables.rankedEvidence(playerIds));
  }

  prunedBefore(): Awaitable<number | undefined> {
    return this.#readTables((tables) => tables.prunedBefore());
  }

  redactions(): Awaitable<Redaction[]> {
    return this.#readTables((tables) => tables.redactions());
  }

  findings(): Awaitable<Findings> {
    return this.#readTables((tables) => tables.findings());
  }

  countOlder(before: number): Awaitable<{ served: number; withheld: number }> {
    return this.read((engine) => run(engine, countOlder(before)));
  }

  async counts(): Promise<Counts> {
    const counts = await this.read((engine) => run(engine, readCounts()));
    return { ...counts, bytes: await this.bytes() };
  }

  #readTables<T>(read: (tables: Transaction) => Awaitable<T>): Awaitable<T> {
    return this.read((engine) => read(coreMethods(engine, new TransactionState())));
  }
}
