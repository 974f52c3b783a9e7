/**
 * In charge of adding up what workers count. What one that is gone had counted stays in the sums, so
 * that these never get smaller: whoever collects them would take that for a restart of the whole.
 */

import type { Family } from "../observe/prometheus.ts";
import { labelled, merged } from "../observe/prometheus.ts";
import type { WorkerProcess } from "./process.ts";

export class Tally {
  #gone: Family[] = [];

  /** A worker has ended. If it was killed, its last count is that of the last time it was asked. */
  keep({ lastCount }: WorkerProcess): void {
    const counted = lastCount.filter(({ type }) => type !== "gauge");
    this.#gone = merged([...this.#gone, ...counted]);
  }

  /** Of processes only those that serve are told of: one at a time for each number. */
  async of(
    serving: readonly WorkerProcess[],
    retiring: readonly WorkerProcess[],
  ): Promise<Family[]> {
    const [counts] = await Promise.all([
      Promise.all(serving.map((worker) => worker.count())),
      Promise.all(retiring.map((worker) => worker.count())),
    ]);
    const service = [...serving, ...retiring].flatMap(({ lastCount }) => lastCount);
    const processes = serving.flatMap(({ number }, at) =>
      labelled(counts[at]?.process ?? [], { worker: String(number) }),
    );
    return [...service, ...this.#gone, ...processes];
  }
}
