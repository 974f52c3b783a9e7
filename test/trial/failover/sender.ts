/** A game server that uploads matches continuously, and sends each batch until an instance acknowledges it. */

import { uploadTo } from "../../support/admin.ts";
import { repeatedly } from "../../support/repeatedly.ts";
import type { Ledger } from "../ledger.ts";

const BATCH = 20;
const PAUSE_MS = 500;
/** Delay before a batch is retried. */
const RETRY_MS = 500;
/** After this time the batch is sent to the other instance. */
const PATIENCE_MS = 15_000;

export class Sender {
  /** The attempts that were acknowledged, in performance.now time. */
  readonly successes: { at: number; until: number }[] = [];
  /** The errors of failed attempts. */
  readonly failures: string[] = [];
  #current = 0;
  /** Resolves when the current batch is acknowledged. */
  finish = async () => {};

  constructor(
    private readonly adminUrls: readonly string[],
    private readonly next: Iterator<string>,
    private readonly ledger: Ledger,
  ) {}

  start(): void {
    this.finish = repeatedly(1, () => this.#sendNext(), PAUSE_MS);
  }

  /** From now on, the first instance is used again. */
  startOver(): void {
    this.#current = 0;
  }

  async #sendNext(): Promise<void> {
    const batch = Array.from({ length: BATCH }, () => this.next.next().value as string);
    this.ledger.attempt(batch);
    while (!(await this.#send(batch))) {
      this.#current += 1;
      await Bun.sleep(RETRY_MS);
    }
  }

  /** Whether the whole batch is stored. */
  async #send(batch: readonly string[]): Promise<boolean> {
    const at = performance.now();
    try {
      const url = this.adminUrls[this.#current % this.adminUrls.length]!;
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const { status, error } = await uploadTo(url, `${batch.join("\n")}\n`, "", {}, signal);
      if (status === 200) {
        this.ledger.acknowledge(batch);
        this.successes.push({ at, until: performance.now() });
        return true;
      }
      this.failures.push(error?.code ?? String(status));
    } catch (error) {
      this.failures.push((error as Error).message);
    }
    return false;
  }
}
