/** A game server that uploads matches continuously and retries batches that were not accepted. */

import { isServedMode, isVoidEnding, PRIVATE_MODE } from "../../src/domain/modes.ts";
import { TOKEN, type Uploaded } from "../support/admin.ts";

const BATCH = 50;
const PAUSE_MS = 150;
/** Delay before a batch is retried. */
const RETRY_MS = 500;
/** After this time the connection counts as dead. */
const PATIENCE_MS = 120_000;

export class Sender {
  /** Every line that was sent, in order: another store that gets them must hold the same. */
  readonly sent: string[] = [];
  /** Matches that were acknowledged and must be served. */
  readonly served: string[] = [];
  /** When each complete batch was acknowledged, in performance.now time. */
  readonly acknowledged: number[] = [];
  /** The errors of failed attempts. */
  readonly failures: string[] = [];
  readonly #adminUrl: string;
  readonly #lines: Iterator<string>;
  #isOver = false;
  #work: Promise<void> = Promise.resolve();

  constructor(adminUrl: string, lines: Iterator<string>) {
    this.#adminUrl = adminUrl;
    this.#lines = lines;
  }

  start(): void {
    this.#work = this.#run();
  }

  /** Resolves when the current batch is acknowledged. */
  async finish(): Promise<void> {
    this.#isOver = true;
    await this.#work;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const batch = Array.from({ length: BATCH }, () => this.#lines.next().value as string);
      this.sent.push(...batch);
      while (!(await this.#send(batch))) await Bun.sleep(RETRY_MS);
      this.acknowledged.push(performance.now());
      await Bun.sleep(PAUSE_MS);
    }
  }

  /** Whether the whole batch is stored. */
  async #send(batch: readonly string[]): Promise<boolean> {
    try {
      const response = await fetch(`${this.#adminUrl}/ingest`, {
        method: "POST",
        headers: { Authorization: `Bearer ${TOKEN}` },
        body: `${batch.join("\n")}\n`,
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      const { error } = (await response.json()) as Uploaded;
      if (response.ok) {
        this.served.push(...batch.flatMap(idIfServed));
        return true;
      }
      this.failures.push(error?.code ?? String(response.status));
    } catch (error) {
      this.failures.push((error as Error).message);
    }
    return false;
  }
}

/** The id of a match that is served regardless of other records; empty for other matches. */
function idIfServed(line: string): string[] {
  const { id, attributes } = JSON.parse(line).data;
  const { gameMode, stats } = attributes;
  const isServed = isServedMode(gameMode) && gameMode !== PRIVATE_MODE;
  return isServed && !isVoidEnding(stats.endGameReason) ? [id] : [];
}
