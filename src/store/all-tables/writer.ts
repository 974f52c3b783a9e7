/** What the writers of both engines share: turns, and single reads for operators. */

import type { Awaitable } from "../../domain/awaitable.ts";
import { findings } from "../core/findings.ts";
import { redactions } from "../core/redactions.ts";
import { shardRow } from "../core/shard.ts";
import { countOlder, readCounts } from "../core/summary.ts";
import { type Engine, run } from "../steps.ts";
import type { Counts, Findings, Redaction } from "../store.ts";

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

  prunedBefore(): Awaitable<number | undefined> {
    return this.read((engine) => run(engine, shardRow.prunedBefore()));
  }

  redactions(): Awaitable<Redaction[]> {
    return this.read((engine) => run(engine, redactions.redactions()));
  }

  findings(): Awaitable<Findings> {
    return this.read((engine) => run(engine, findings.findings()));
  }

  countOlder(before: number): Awaitable<{ served: number; withheld: number }> {
    return this.read((engine) => run(engine, countOlder(before)));
  }

  async counts(): Promise<Counts> {
    const counts = await this.read((engine) => run(engine, readCounts()));
    return { ...counts, bytes: await this.bytes() };
  }
}
